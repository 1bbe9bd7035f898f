package szz

import (
	"slices"

	"git-agent/agent"
	"git-agent/gitext"
)

// A Question is a question about one fix. The command line, MCP, evaluation and recorded
// runs all use it.
type Question struct {
	Fix         gitext.OID // for an uncommitted fix, the commit to compare with
	Source      Source
	Mails       []gitext.Mail // of SourcePatch
	Not         []gitext.OID  // commits that did not introduce the bug, as the user knows
	Paths       []string      // literal paths that limit the fix; nil is all
	Annotations bool          // a culprit that the fix's message names is the answer
	Opinion     Opinion       // when the ranking also answers beside an annotation
	Algorithm   string        // of the offline engine, one of Algorithms; "" is the first
	Max         int           // most suspects returned; 0 lets the engine decide
	Index       bool          // the ranking asks the repository's index of changed lines
	Switches    Switches      // of the agent engine
	Hint        Hint          // what is known of the bug beside the fix
}

// An Opinion says when the ranking answers beside an annotation.
type Opinion int

// The ranking never answers; it answers if no annotation is formal, such as a Fixes:
// trailer; or it always answers.
const (
	OpinionNever Opinion = iota
	OpinionUnsure
	OpinionAlways
)

// Asks reports whether the ranking is asked about a fix with these annotations. An
// annotation that a tool wrote for the purpose is hardly ever wrong; prose may be
// misread.
func (o Opinion) Asks(annotations []Annotation) bool {
	return o == OpinionAlways || o == OpinionUnsure && !slices.ContainsFunc(annotations, func(a Annotation) bool {
		return a.Verified && (a.Kind != AnnotationProse || a.Formal)
	})
}

// Context returns the options for reading the fix.
func (q Question) Context() ContextOptions {
	return ContextOptions{NoAnnotations: !q.Annotations, Paths: q.Paths, Source: q.Source, Mails: q.Mails, Not: q.Not, Index: q.Index, Hint: q.Hint}
}

// Committed reports whether the fix is a commit.
func (q Question) Committed() bool { return q.Source == SourceCommit }

// Switches turn off parts of the agent engine's method.
type Switches struct {
	NoTools           bool // the model has only the first prompt and report
	NoDomainKnowledge bool // no text says how to trace: the system message has the task only, and tools give no advice
	NoCompression     bool // answers of tools are not condensed, and the first prompt shows patches from their beginning, up to a page each
	NoCandidates      bool // the first prompt has only the fix's message and patch
	NoRanking         bool // the first prompt names the authors of the lines, but not in the order of the ranking, and shows no patches
	NoClaimCheck      bool // answers are accepted without a check of the claims
}

// named returns the switches with their names, in a fixed order.
func (s *Switches) named() []agent.Switch {
	return []agent.Switch{
		{Name: "no-tools", On: &s.NoTools},
		{Name: "no-domain-knowledge", On: &s.NoDomainKnowledge},
		{Name: "no-compression", On: &s.NoCompression},
		{Name: "no-candidates", On: &s.NoCandidates},
		{Name: "no-ranking", On: &s.NoRanking},
		{Name: "no-claim-check", On: &s.NoClaimCheck},
	}
}

// Names returns the names of the switches that are on, such as "no-tools".
func (s Switches) Names() []string {
	return agent.SwitchesOn(s.named())
}

// And returns the switches that are on in s, in o, or in both.
func (s Switches) And(o Switches) Switches { return SwitchesNamed(append(s.Names(), o.Names()...)...) }

// SwitchesNamed returns the switches whose names are among the words. It ignores other
// words.
func SwitchesNamed(words ...string) (s Switches) {
	agent.SwitchOn(s.named(), words)
	return s
}

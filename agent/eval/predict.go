package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/gitext"
)

// Suspect is one answer of an engine.
type Suspect struct {
	Commit      gitext.OID `json:"commit"`
	Probability float64    `json:"p,omitempty"`    // 0: the algorithm has none; of a model, not calibrated
	Vote        *szz.Vote  `json:"vote,omitempty"` // of a model: what the probability comes from
}

// Prediction is what an engine answered for one case.
type Prediction struct {
	Suspects   []Suspect    `json:"suspects"`             // the answer, best first
	Candidates []gitext.OID `json:"candidates,omitempty"` // all commits considered
	Ranked     bool         `json:"ranked,omitempty"`     // Candidates are in the engine's order, best first
	Answered   string       `json:"answered,omitempty"`   // the algorithm that answered, where it is not the one asked
	Work       *Work        `json:"work,omitempty"`       // of a model; nil when none was asked
}

// Record is what the journal keeps: one case, one algorithm, and the answer or
// the reason why there is none.
type Record struct {
	Key       string      `json:"key"`
	Case      Case        `json:"case"`
	Algorithm string      `json:"algorithm"`
	Version   string      `json:"version"`
	Setting   string      `json:"setting,omitempty"`
	Answer    *Prediction `json:"answer,omitempty"`
	Absent    []string    `json:"absent,omitempty"` // BICs that the repository lacks
	Error     string      `json:"error,omitempty"`  // the engine failed
	Skip      string      `json:"skip,omitempty"`   // nobody was asked, and why
	Seconds   float64     `json:"seconds,omitempty"`
}

// key covers everything that determines a prediction. The truth is no part of
// it: corrected labels need no new answers.
func (r Record) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Case.ID, r.Case.Repo, string(r.Case.Fix), r.Algorithm, r.Version, r.Setting}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Tracer answers one case by one algorithm.
type Tracer func(ctx context.Context, algorithm string) (Prediction, error)

// Session is one open repository. Begin prepares a case once for all
// algorithms; it is called by several goroutines at once.
type Session interface {
	Begin(ctx context.Context, c Case) (Tracer, []gitext.OID, error) // also the BICs that the repository lacks
	Close() error
}

// Opener opens the repository in dir, to be asked about so many cases.
type Opener func(ctx context.Context, dir string, cases int) (Session, error)

// AbsentError says that a case cannot be evaluated because commits are not in
// the repository.
type AbsentError struct{ Commits []gitext.OID }

func (e *AbsentError) Error() string {
	names := make([]string, len(e.Commits))
	for i, oid := range e.Commits {
		names[i] = oid.Short()
	}
	return fmt.Sprintf("%s not in the repository", strings.Join(names, ", "))
}

// Outcome is a prediction held against the truth, reduced to what the metrics
// need. One is held for each case and algorithm.
type Outcome struct {
	Case      int  // index into the cases
	Evaluated bool // false: skipped
	Failed    bool // counts as an empty answer
	Answered  int  // distinct commits in the answer
	Right     int  // of these, how many are true (twins included)
	Truths    int  // distinct BICs
	Found     int  // of these, how many the answer holds
	Reachable int  // of these, how many are among the candidates
	Pool      int  // distinct candidates
	Top       bool // the first suspect is true
	Rank      int  // 1-based place of the first true commit, 0 = none: among the candidates if they are ranked, else in the answer
	Marks     []stat.Mark
	Votes     []Vote // behind the marks of a model
	Seconds   float64
	Work      *Work // nil: no model was asked
}

// Vote is a suspect that the runs of a model voted for, and whether it is right.
type Vote struct {
	stat.Voted
	Absent int // runs that gave no verdict
}

// calibrated is the record with the probabilities that a calibration makes of
// its votes, where the calibration was made for what answered and every run
// gave a verdict. What is kept stays as it is: a new calibration needs no new answers.
func (r Record) calibrated(c *detect.Calibration) Record {
	if c == nil || r.Answer == nil || r.Answer.Work == nil || c.Differs(r.Answer.Work.Basis) != "" {
		return r
	}
	answer := *r.Answer
	answer.Suspects = slices.Clone(answer.Suspects)
	for i, s := range answer.Suspects {
		if s.Vote != nil && s.Vote.Absent == 0 {
			answer.Suspects[i].Probability = c.Probability(s.Vote.Raw, s.Vote.Agreement)
		}
	}
	r.Answer = &answer
	return r
}

// Score holds a record against the truth of a case.
func Score(index int, c Case, r Record) Outcome {
	o := Outcome{Case: index, Evaluated: r.Skip == "", Failed: r.Error != "", Seconds: r.Seconds}
	truth := c.truth()
	o.Truths = distinctBICs(c)
	if r.Answer == nil {
		return o
	}
	o.Work = r.Answer.Work
	found := map[gitext.OID]bool{}
	seen := map[gitext.OID]bool{}
	for _, s := range r.Answer.Suspects {
		if seen[s.Commit] {
			continue
		}
		seen[s.Commit] = true
		bic, right := truth[s.Commit]
		if right {
			found[bic] = true
			o.Right++
		}
		o.Answered++
		if right && o.Rank == 0 {
			o.Rank = o.Answered
			o.Top = o.Answered == 1
		}
		if s.Probability > 0 {
			o.Marks = append(o.Marks, stat.Mark{P: s.Probability, Right: right})
		}
		if s.Vote != nil {
			o.Votes = append(o.Votes, Vote{stat.Voted{Raw: s.Vote.Raw, Agreement: s.Vote.Agreement, Right: right}, s.Vote.Absent})
		}
	}
	if r.Answer.Ranked {
		o.Rank = 1 + slices.IndexFunc(r.Answer.Candidates, func(oid gitext.OID) bool { return truth[oid] != "" })
	}
	o.Found = len(found)
	o.Reachable, o.Pool = ceiling(r.Answer, truth, seen)
	return o
}

// ceiling counts the truths among the candidates. An engine's answer is always
// part of them, also where the engine forgot to list it.
func ceiling(p *Prediction, truth map[gitext.OID]gitext.OID, answer map[gitext.OID]bool) (reachable, pool int) {
	hit := map[gitext.OID]bool{}
	all := make(map[gitext.OID]bool, len(p.Candidates))
	for oid := range answer {
		all[oid] = true
	}
	for _, oid := range p.Candidates {
		all[oid] = true
	}
	for oid := range all {
		if bic, ok := truth[oid]; ok {
			hit[bic] = true
		}
	}
	return len(hit), len(all)
}

func distinctBICs(c Case) int {
	bics := slices.Clone(c.BICs)
	slices.Sort(bics)
	return len(slices.Compact(bics))
}

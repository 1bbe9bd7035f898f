package crasheval

import (
	"cmp"
	"encoding/json"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// File is one file of an answer.
type File struct {
	Path        string  `json:"path"`
	Probability float64 `json:"p,omitempty"`       // 0 if the algorithm gives none
	Related     bool    `json:"related,omitempty"` // no stack names the file
	// Vote is the vote behind a model's probability; nil if no run names the file.
	Vote *crash.Vote `json:"vote,omitempty"`
}

// Suspect is one commit that an answer suspects.
type Suspect struct {
	Commit      gitext.OID `json:"commit"`
	Probability float64    `json:"p,omitempty"` // 0 if the algorithm gives none
}

// Prediction is an engine's answer to one case.
type Prediction struct {
	Formats  []string  `json:"formats,omitempty"` // the formats in the report
	Files    []File    `json:"files"`             // best first
	Answered bool      `json:"answered"`          // the engine names the first file as its answer
	Suspects []Suspect `json:"suspects,omitempty"`
	// NoSuspects says that the engine was not asked for suspects.
	NoSuspects bool       `json:"no_suspects,omitempty"`
	Notes      []string   `json:"notes,omitempty"` // things that could not be read
	Work       *eval.Work `json:"work,omitempty"`  // nil if no model was asked
	// Ballots are the files that each run of a model names: null for a run without an answer, and
	// an empty list for a run that names no file.
	Ballots [][]string `json:"ballots,omitempty"`
	// Basis is the basis of the model's probabilities; nil if no model answered.
	Basis *agent.Basis `json:"basis,omitempty"`
	// Traced is the number of files in the stacks of the report, including files not in the
	// answer; 0 in answers of older builds.
	Traced int `json:"traced,omitempty"`
	// Failure is the failure in the report; nil if the report was not read.
	Failure *failure `json:"failure,omitempty"`
	// Read lists the files that a model's calls requested, without duplicates.
	Read []string `json:"read,omitempty"`
}

// ReadKept decodes the case and the answer of a record in a journal. It does not
// validate them again.
func (Task) ReadKept(data, answer json.RawMessage) (eval.Case, eval.Answer, error) {
	c, a, err := eval.DecodeKept[Case, Prediction](data, answer)
	c.failure = failureOf(c.Report)
	return c, a, err
}

// scoreRow holds the details of a score. WriteRows writes its JSON, and the
// dimensions that depend on answers use it.
type scoreRow struct {
	Rank        int      `json:"rank"`         // 1-based position of the first file that the fix changes; 0 if none is listed
	SuspectRank int      `json:"suspect_rank"` // likewise for the commits that introduced the crash
	Traced      int      `json:"traced"`       // number of files in the report's stacks
	Formats     []string `json:"-"`
	Class       string   `json:"class"` // of the crash, by signal
	// Contradicts names fields of the case that the report contradicts.
	Contradicts []string `json:"contradicts,omitempty"`

	ballots [][]string // of the runs of a model; nil if none was asked
	truth   []string   // the files that the fix changes
	read    int        // files that the model read
	basis   agent.Basis
}

// Score scores a prediction against the truth of a case. Its only forecast is that
// the fix changes the first file.
func (t Task) Score(of eval.Case, a eval.Answer) eval.Score {
	c := of.(Case)
	n := count{judged: len(c.IntroCommits) > 0}
	p, answered := a.(Prediction)
	if !answered {
		return eval.Score{Tally: n.tally(), Empty: true, Row: scoreRow{Class: c.failure.class(), Contradicts: c.contradictions()}}
	}
	n.judged = n.judged && !p.NoSuspects
	for _, f := range p.Files {
		n.traced += stat.Count(!f.Related)
	}
	if p.Failure != nil {
		c.failure = *p.Failure
	}
	row := scoreRow{
		basis:       p.basis(),
		Traced:      cmp.Or(p.Traced, n.traced),
		Formats:     p.Formats,
		Class:       c.failure.class(),
		Contradicts: c.contradictions(),
		ballots:     p.Ballots,
		truth:       c.FixFiles,
		read:        len(p.Read),
	}
	if p.Work.Fell() && !t.Fallback {
		n.traced = 0
		return eval.Score{Tally: n.tally(), Empty: true, Work: p.Work, Row: row}
	}
	n.rank = 1 + slices.IndexFunc(p.Files, func(f File) bool { return slices.Contains(c.FixFiles, f.Path) })
	n.suspectRank = 1 + slices.IndexFunc(p.Suspects, func(s Suspect) bool { return slices.Contains(c.IntroCommits, s.Commit) })
	n.listed, n.suspects = len(p.Files), len(p.Suspects)
	row.Rank, row.SuspectRank = n.rank, n.suspectRank
	s := eval.Score{Tally: n.tally(), Empty: n.listed == 0, Right: n.rank == 1, Work: p.Work, Row: row}
	if n.listed > 0 && p.Files[0].Probability > 0 {
		s.Forecasts = []stat.Forecast{{P: t.probability(p, p.Files[0]), Right: s.Right}}
	}
	s.Votes = votesOf(c, p)
	return s
}

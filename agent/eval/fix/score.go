package fixeval

import (
	"encoding/json"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// Prediction is an engine's answer to one case, with the judge's verdicts.
type Prediction struct {
	Engine     Engine    `json:"engine"`
	Given      bool      `json:"given,omitempty"`      // the engine was told the lines that the fix changes
	Reproduced fix.State `json:"reproduced,omitempty"` // result of the test without a patch, as reported by the engine

	Patches  []Judged `json:"patches,omitempty"` // the first patches that the engine calls plausible, best first
	Claimed  int      `json:"claimed"`           // all patches that it calls plausible, or that pass a test written by its model
	Tried    int      `json:"tried"`             // patches that it tried
	Declined string   `json:"declined,omitempty"`

	NoPlaces     bool `json:"no_locations,omitempty"` // the engine was not asked for the location of the bug
	Located      int  `json:"located"`                // suspected functions
	FunctionRank int  `json:"function_rank"`          // 1-based position of the first function that the fix changes; 0 if there is none
	FileRank     int  `json:"file_rank"`              // likewise for the files of the suspected functions

	// Samples is the planned number of trajectories; 0 if it depends on their results.
	Samples      int          `json:"samples,omitempty"`
	Trajectories []Trajectory `json:"trajectories,omitempty"` // the trajectories that were made
	// Read and ReadCommits list the files and the commits that a model's calls requested, without
	// duplicates.
	Read        []string `json:"read,omitempty"`
	ReadCommits []string `json:"read_commits,omitempty"`

	Facts   *Facts     `json:"facts,omitempty"` // nil in the answers of earlier versions
	Notes   []string   `json:"notes,omitempty"`
	Judging float64    `json:"judging,omitempty"` // the judge's time in seconds
	Work    *eval.Work `json:"work,omitempty"`    // nil if no model was asked
}

// maxNotes is the number of notes that are kept.
const maxNotes = 5

// predictionOf reduces an answer to the stored parts. Its patches are still to be judged.
func predictionOf(a Algorithm, ans *fix.Answer, t *truth) Prediction {
	p := Prediction{Engine: a.Engine, Given: a.Given, Reproduced: ans.Reproduction.State, Claimed: len(ans.Offered()), Tried: ans.Tried,
		Declined: source.FirstBytes(ans.Declined, maxText), Located: len(ans.Localization.Locations)}
	if a.Engine == Locate {
		p.Claimed, p.Tried = 0, 0
	}
	p.FunctionRank, p.FileRank = t.ranks(ans.Localization.Locations)
	for _, note := range ans.Notes[:min(maxNotes, len(ans.Notes))] {
		p.Notes = append(p.Notes, source.FirstBytes(note, maxText))
	}
	return p
}

// ReadKept decodes the case and the answer of a record in a journal. It does not
// validate them again.
func (Task) ReadKept(data, answer json.RawMessage) (eval.Case, eval.Answer, error) {
	return eval.DecodeKept[Case, Prediction](data, answer)
}

// scoreRow holds the details of a score. WriteRows writes its JSON.
type scoreRow struct {
	Rank         int           `json:"rank"` // 1-based position of the first plausible patch; 0 if there is none
	Verdicts     []fix.Verdict `json:"verdicts"`
	Exact        bool          `json:"exact"` // of the first patch
	SameFiles    bool          `json:"same_files"`
	SameFuncs    bool          `json:"same_functions"`
	FunctionRank int           `json:"function_rank"`
	FileRank     int           `json:"file_rank"`
	Category     string        `json:"computed_category,omitempty"`
	Blame        string        `json:"-"`
	BlameCommits *int          `json:"blame_commits,omitempty"`
	Contradicts  []string      `json:"contradicts,omitempty"` // fields of the case that the repository contradicts

	samples      int // as in the Prediction, whose JSON has them
	trajectories []Trajectory
	read         int // files that a model read
	readCommits  int
}

// Score scores a prediction. A case is right if the first patch is plausible, or for a
// localization task, if the fix changes the first function. Without an answer the engine is
// unknown, so the case counts for both tasks.
func (t Task) Score(of eval.Case, a eval.Answer) eval.Score {
	c, _ := of.(Case)
	p, answered := a.(Prediction)
	if !answered {
		return eval.Score{Tally: count{repairs: !t.Localization, places: true}.tally(), Empty: true, Row: rowOf(c, nil)}
	}
	if p.Work.Fell() && !t.Fallback {
		p = Prediction{
			Engine:       p.Engine,
			Given:        p.Given,
			Work:         p.Work,
			Judging:      p.Judging,
			Facts:        p.Facts,
			Samples:      p.Samples,
			Trajectories: p.Trajectories,
			Read:         p.Read,
			ReadCommits:  p.ReadCommits,
		}
	}
	n := count{
		repairs: p.Engine != Locate, places: !p.Given && !p.NoPlaces && p.Engine != Developers,
		rank:     1 + slices.IndexFunc(p.Patches, func(j Judged) bool { return j.Verdict == fix.Plausible }),
		declined: p.Declined != "", reproduced: p.Reproduced == fix.Failing, tried: p.Tried, claimed: p.Claimed > 0,
		located: p.Located, function: p.FunctionRank, file: p.FileRank,
	}
	row := rowOf(c, p.Facts)
	row.Rank, row.FunctionRank, row.FileRank = n.rank, p.FunctionRank, p.FileRank
	row.samples, row.trajectories = p.Samples, p.Trajectories
	row.read, row.readCommits = len(p.Read), len(p.ReadCommits)
	for _, j := range p.Patches {
		row.Verdicts = append(row.Verdicts, j.Verdict)
	}
	if n.rank == 1 {
		first := p.Patches[0]
		row.Exact, row.SameFiles, row.SameFuncs = first.Exact, first.SameFiles, first.SameFunctions
		n.exact, n.sameFiles, n.sameFunctions = first.Exact, first.SameFiles, first.SameFunctions
	}
	s := eval.Score{Tally: n.tally(), Empty: p.Claimed == 0, Right: n.rank == 1, Work: p.Work, Row: row, Judging: p.Judging}
	if p.Engine == Locate {
		s.Empty, s.Right = p.Located == 0, p.FunctionRank == 1
	}
	return s
}

// rowOf returns the details of an answer that so far has only its facts.
func rowOf(c Case, facts *Facts) scoreRow {
	row := scoreRow{Verdicts: []fix.Verdict{}, Contradicts: c.contradictions(facts)}
	row.Category, row.Blame = c.facts(facts)
	if facts != nil {
		row.BlameCommits = &facts.BlameCommits
	}
	return row
}

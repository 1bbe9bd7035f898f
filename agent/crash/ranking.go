package crash

import (
	"time"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A Fit counts the lines of a report that were compared with the code of a commit.
type Fit struct {
	Same  int `json:"same"`  // the code at the line is what the report says
	Moved int `json:"moved"` // the code is at another line, or not in the file
}

// Other reports whether most of the lines show that the report is of another version.
func (f Fit) Other() bool { return f.Moved > f.Same }

// FromHead is the source of a commit that neither the user nor the report names.
const FromHead = "HEAD"

// An Answer is the answer about a crash: the files of the repository by suspicion, and the
// commits that may have introduced the crash.
type Answer struct {
	// Commit is the commit whose files were ranked. CommitFrom names its source.
	Commit     gitext.OID `json:"commit"`
	CommitFrom string     `json:"commit_from,omitempty"`
	// Fit counts the lines of the report that were compared with the code of Commit.
	Fit Fit `json:"fit,omitzero"`
	// Since is the commit that did not crash, "" if none was given.
	Since gitext.OID `json:"since,omitempty"`
	// Until is the time of the report, if HEAD is younger and nothing tells the commit that
	// crashed: no younger commit is suspected. Else it is zero.
	Until     time.Time `json:"until,omitzero"`
	Algorithm string    `json:"algorithm"`
	Files     []File    `json:"files"`
	// Main is the index of the stack at which the search started, -1 if no stack has
	// a frame in the repository.
	Main int `json:"main"`
	// Answered is false if no file is likely enough to be named as the answer.
	Answered bool              `json:"answered"`
	Suspects []suspect.Suspect `json:"suspects,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
	// Declarations are those of the fields that race, in a report of a data race.
	Declarations []Declaration `json:"declarations,omitempty"`
	// Incomplete lists what the clone lacked for a complete answer, such as agent.LacksObjects;
	// nil if nothing.
	Incomplete []string `json:"incomplete,omitempty"`
	// Agent describes the model's investigation, nil if the offline engine made the ranking.
	Agent *AgentReport `json:"agent,omitempty"`
}

// Unanswered reports whether an answer is the offline engine's because no run of the model gave one.
func (r *Answer) Unanswered() bool { return r.Agent != nil && r.Agent.Fallback != "" }

// Unread adds a note about an unreadable part of the repository, with the consequence and the
// reason, and returns nil. It returns every other error unchanged.
func (r *Answer) Unread(consequence string, err error) error {
	if !gitext.Unreadable(err) {
		return err
	}
	r.Notes = append(r.Notes, consequence+": "+gitext.WhyUnread(err))
	return nil
}

// A File is a file of the repository that may contain the cause of a crash.
type File struct {
	Path string `json:"path"`
	// Score orders the files. Its unit depends on the algorithm.
	Score float64 `json:"score"`
	// Probability is the calibrated probability that the fix of the crash changes the
	// file, 0 if the algorithm has no calibration.
	Probability float64 `json:"probability,omitempty"`
	// Reasons are the reasons for the file's position, a clause each, the weightiest first.
	Reasons []string `json:"reasons,omitempty"`
	// Frames are the frames of the report in the file, in the report's order.
	Frames []FrameRef `json:"frames,omitempty"`
	// Related says that no stack names the file.
	Related bool `json:"related,omitempty"`
	// ByHistory says that a related file changed together with files of the stacks.
	ByHistory bool `json:"by_history,omitempty"`
	// Vote is the verdict of the agent engine's runs on the file, nil if none names it.
	Vote *Vote `json:"vote,omitempty"`
}

// A FrameRef names a frame of a report by the indexes of its stack and its frame.
type FrameRef struct {
	Stack int `json:"stack"`
	Frame int `json:"frame"`
}

// At returns the referenced frame of the report.
func (r *Report) At(ref FrameRef) Frame { return r.Stacks[ref.Stack].Frames[ref.Frame] }

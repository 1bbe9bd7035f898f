package crash

import "git-agent/gitext"

// A Question is what is asked about one crash. The command line, MCP, evaluation and
// recorded runs all use it.
type Question struct {
	Report *Report
	// Commit is the commit that crashed; "" lets the engine find it from the
	// report's build, else HEAD.
	Commit gitext.OID
	// Since is a commit that did not crash; only commits after it are suspects. ""
	// for none.
	Since gitext.OID
	// Algorithm names the algorithm of the offline engine; "" is the default.
	Algorithm string
	// Suspects is the most suspect commits to name; 0 names none.
	Suspects int
}

package crash

// A Severity says how far an attacker may get with a crash, in the classes of CASR. Their meaning
// is described in docs/classes.md of ispras/casr.
type Severity struct {
	// Class is EXPLOITABLE, PROBABLY_EXPLOITABLE or NOT_EXPLOITABLE; a report of CASR may also
	// say UNDEFINED.
	Class string `json:"class"`
	// Kind is CASR's short description, such as "heap-buffer-overflow(write)" or "SourceAv".
	Kind string `json:"kind,omitempty"`
	// Description is a sentence about the kind.
	Description string `json:"description,omitempty"`
	// Stated says that the report itself has the severity. Else it follows from the report.
	Stated bool `json:"stated,omitempty"`
}

// The classes of CASR.
const (
	Exploitable         = "EXPLOITABLE"
	ProbablyExploitable = "PROBABLY_EXPLOITABLE"
	NotExploitable      = "NOT_EXPLOITABLE"
)

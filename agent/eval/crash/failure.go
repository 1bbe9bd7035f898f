package crasheval

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/eval"
	"git-agent/agent/source"
	"git-agent/agent/stat"
)

// A failure describes how a program failed, according to its report: the signal that ended it,
// and whether it followed a null pointer. It is computed from the report alone.
type failure struct {
	Signal string `json:"signal,omitempty"` // such as "SIGSEGV"; "" if the report names none
	Null   bool   `json:"null,omitempty"`
	// Unread says that there is no report, or none of a known format.
	Unread bool `json:"unread,omitempty"`
}

// signalNames are the signals that reports give by number.
var signalNames = map[int]string{4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}

// failureOf reads a report.
func failureOf(report string) failure {
	r, err := format.Read(strings.NewReader(report))
	if err != nil {
		return failure{Unread: true}
	}
	return *failureIn(r)
}

// failureIn returns the failure in a parsed report.
func failureIn(r *crash.Report) *failure {
	f := &failure{Null: slices.ContainsFunc(r.Problems, isNull)}
	for _, p := range r.Problems {
		if name := signalOf(p); name != "" {
			f.Signal = name
			break
		}
	}
	return f
}

// signalOf returns the signal of a problem, "" if it has none.
func signalOf(p crash.Problem) string {
	if strings.HasPrefix(p.Kind, "SIG") && p.Kind == strings.ToUpper(p.Kind) {
		return p.Kind
	}
	return signalNames[p.Signal]
}

// nullKind matches the exceptions of managed languages for a null pointer.
var nullKind = source.Lazy(`(?:NullPointer|NullReference)Exception$`)

func isNull(p crash.Problem) bool { return p.Null || nullKind().MatchString(p.Kind) }

// Classes of crashes, as in AutoCrashFL, table 1: by signal, with a class of its own for null
// pointers.
const (
	classOtherFormat = "unknown format"
	classNoSignal    = "no signal"
	nullEnd          = ", null"
	notNullEnd       = ", not null"
)

var classes = []string{
	"SIGABRT",
	"SIGSEGV" + nullEnd,
	"SIGSEGV" + notNullEnd,
	"SIGBUS",
	"SIGFPE",
	"SIGILL",
	"SIGTRAP",
	classNoSignal + nullEnd,
	classNoSignal,
	classOtherFormat,
}

// classOf returns the class of a case from the details of a score.
func classOf(row scoreRow) string { return cmp.Or(row.Class, classOtherFormat) }

// class returns the class of a failure.
func (f failure) class() string {
	switch {
	case f.Unread:
		return classOtherFormat
	case f.Signal == "SIGSEGV" && f.Null:
		return f.Signal + nullEnd
	case f.Signal == "SIGSEGV":
		return f.Signal + notNullEnd
	case f.Signal == "" && f.Null:
		return classNoSignal + nullEnd
	}
	return cmp.Or(f.Signal, classNoSignal)
}

// Contradicted returns the number of cases with a field that the report contradicts.
func Contradicted(cases []eval.Case) int {
	n := 0
	for _, c := range cases {
		n += stat.Count(len(c.(Case).contradictions()) > 0)
	}
	return n
}

// contradictions returns the names of a case's fields that contradict its report. Absent fields,
// and a report without this information, contradict nothing.
func (c Case) contradictions() []string {
	var list []string
	if c.failure.Unread {
		return nil
	}
	if c.Signal != "" && c.failure.Signal != "" && c.Signal != c.failure.Signal {
		list = append(list, "signal")
	}
	if c.Null != nil && *c.Null != c.failure.Null {
		list = append(list, "null_dereference")
	}
	return list
}

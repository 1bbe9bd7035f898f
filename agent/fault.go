package agent

// Fault is the reason why a call of a tool has no result. An evaluation counts the faults
// of each tool, as AutoCrashFL does (section 5.4).
type Fault string

// These are the faults.
const (
	FaultArguments Fault = "bad arguments" // the arguments do not fit the schema
	FaultTool      Fault = "no such tool"
	FaultPath      Fault = "no such file"   // the call names a path that does not exist
	FaultCommit    Fault = "no such commit" // the call names a commit that is unknown or hidden
	FaultTime      Fault = "timed out"
	FaultNotRun    Fault = "not run"        // too many calls, or no call may run any more
	FaultNothing   Fault = "found nothing"  // the call was right, and the search found nothing
	FaultRefused   Fault = "refused"        // for another reason, which the answer names
	FaultBroken    Fault = "internal error" // a failure of this program
)

// fault returns the reason why a call has no result, "" if it has one.
func (r *CallResult) fault() Fault {
	switch {
	case r.Fault != "":
		return r.Fault
	case r.NotRun:
		return FaultNotRun
	case r.Malformed:
		return FaultArguments
	case r.TimedOut:
		return FaultTime
	case r.Failed:
		return FaultRefused
	case r.Nothing && !r.Final:
		return FaultNothing
	}
	return ""
}

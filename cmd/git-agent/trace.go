package main

// traceCmd is `git agent trace`: it shows what models did in recorded runs, step
// by step.
type traceCmd struct {
	List   traceListCmd   `cmd:"" help:"list the recorded runs, newest first"`
	Show   traceShowCmd   `cmd:"" help:"show a run as a conversation; default: the last run"`
	Export traceExportCmd `cmd:"" help:"export a run for other programs"`
	Replay traceReplayCmd `cmd:"" help:"replay runs of ${recorded_verbs} with the model's recorded answers, and report what differs"`
	Resume traceResumeCmd `cmd:"" help:"resume an interrupted run of ${recorded_verbs}"`
	Smells traceSmellsCmd `cmd:"" help:"report signs of trouble in runs, and how often they occur"`
}

// Package agent runs a conversation with a language model that calls tools. It has the
// [Loop] with its limits, the [Journal] that records a run for resuming after a crash,
// the [Ledger] of the common spending of several runs, the [Event]s of a loop, and the
// contract of a [Tool].
//
// The package knows no verb and has no tools of its own. A loop is
// deterministic between the steps of its journal, and treats every failure of a
// model as an ordinary input.
package agent

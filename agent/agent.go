// Package agent runs a conversation with a language model that calls tools. It
// has the [Loop] with its limits, the [Journal] that records a run so that it
// can be resumed after a crash, the [Ledger] of what several runs spend
// together, the [Event]s that a loop emits, and the contract of a [Tool].
//
// The package knows no verb and has no tools of its own. A loop is
// deterministic between the steps of its journal, and treats every failure of a
// model as an ordinary input.
package agent

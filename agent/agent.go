// Package agent holds the conversation with a language model that works with
// tools: the [Loop] with its limits, the [Journal] that records it and lets it
// go on after a crash, the [Ledger] of what several of them spend, the [Event]s
// that it emits, and the contract of a [Tool].
//
// The package knows no verb and no tool of its own. A loop is deterministic
// between the steps of its journal, and every failure of a model is an ordinary
// input to it.
package agent

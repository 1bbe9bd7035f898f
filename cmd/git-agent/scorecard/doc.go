// Package scorecard attacks the built program and counts what holds.
//
// It has tests only. Each test of an area (hostile repositories, a hostile
// server, kills, corruptions, sandbox probes, output, MCP) tries its vectors
// one by one and records the outcome of each. At the end a table shows how many
// were tried and which broke a promise:
//
//	go test ./cmd/git-agent/scorecard              a sample of each area
//	go test ./cmd/git-agent/scorecard -full -v -timeout 3h    all of them
//
// CONTRIBUTING.md says what is promised, and against whom.
package scorecard

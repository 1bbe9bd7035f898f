// Package scorecard attacks the built program and counts which attacks it withstands.
//
// It consists of tests. Each test covers an area: hostile repositories, a hostile
// server, kills, corruptions, sandbox probes, output, or MCP. It tries its attacks,
// called vectors, one by one and records the outcome of each. At the end a table
// shows how many were tried and which broke a promise:
//
//	go test ./cmd/git-agent/scorecard              a sample of each area
//	go test ./cmd/git-agent/scorecard -full -v -timeout 3h    all of them
//
// CONTRIBUTING.md lists the promises and the attackers.
package scorecard

// Package scorecard attacks the built program and counts the attacks that it withstands.
//
// It consists of tests. Each test covers an area: hostile repositories, a hostile server, kills,
// corruptions, sandbox probes, output, or MCP. Each test tries its attacks, called vectors, one
// by one and records their outcomes. At the end, a table shows the number of vectors and those
// that broke a promise:
//
//	go test ./cmd/git-agent/scorecard              a sample of each area
//	go test ./cmd/git-agent/scorecard -full -v -timeout 3h    all of them
//
// CONTRIBUTING.md lists the promises and the attackers.
package scorecard

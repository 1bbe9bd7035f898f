// Package scan reads a report line by line: it takes the prefixes of logs, quotes and
// terminals off, lets the lines of large logs pass that may matter, offers each line
// to formats, and gathers the problems, stacks and frames that they find.
//
// Time is proportional to the input's size and memory is bounded, whatever the input
// is: see the limits in scanner.go.
package scan

package format

import (
	"bytes"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A fencedBlock is a block of code of Markdown.
type fencedBlock struct {
	text []byte
	line int // number of its first line
}

const maxFences = 20 // blocks of JSON in a text

// fence matches a block of code that is JSON, with a language or without one.
var fence = source.Lazy("(?s)(?:^|\n)[ \t]*```+[ \t]*(?i:json[c5l]?|js|javascript)?[ \t]*\r?\n([ \t]*[{\\[].*?)\r?\n[ \t]*```")

// fencedJSON returns copies of the blocks at the beginning of a text in which arrays of frames may be.
func fencedJSON(text []byte) (blocks []fencedBlock) {
	if !bytes.Contains(text, []byte("```")) || !frameArray().Match(text) {
		return nil
	}
	for _, at := range fence().FindAllSubmatchIndex(text, maxFences) {
		if block := text[at[2]:at[3]]; frameArray().Match(block) {
			blocks = append(blocks, fencedBlock{bytes.Clone(block), 1 + bytes.Count(text[:at[2]], []byte("\n"))})
		}
	}
	return blocks
}

// withFenced returns a report of a text without stacks with those of its blocks of JSON, or the report itself if they have none.
func withFenced(report *crash.Report, blocks []fencedBlock) *crash.Report {
	s := &scanner{Report: *report, Problem: -1}
	s.Report.Stacks = nil
	for _, b := range blocks {
		stacks, problems := len(s.Report.Stacks), len(s.Report.Problems)
		readFrames(s, b.text)
		for i := range s.Report.Stacks[stacks:] {
			for j := range s.Report.Stacks[stacks+i].Frames {
				s.Report.Stacks[stacks+i].Frames[j].ReportLine = b.line
			}
		}
		for i := range s.Report.Problems[problems:] {
			s.Report.Problems[problems+i].Line = b.line
		}
	}
	if len(s.Report.Stacks) == 0 {
		return report
	}
	return s.Finish()
}

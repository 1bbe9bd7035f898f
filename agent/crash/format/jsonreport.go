package format

import (
	"bytes"
	"io"

	"git-agent/agent/crash"
)

// maxJSON limits a report in JSON, which is read as a whole.
const maxJSON = 64 << 20

// readJSON reads a report in JSON that begins at an offset of the input: Apple's,
// minidump-stackwalk's, CASR's, one with arrays of frames, or entries of the journal. Anything else is read as text.
func readJSON(in io.Reader, start int) (*crash.Report, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxJSON))
	if err != nil {
		return nil, err
	}
	for _, read := range []func(*scanner, []byte) bool{readIPS, readStackwalk, readFrames} {
		s := &scanner{Problem: -1}
		if read(s, data[start:]) {
			if report := s.Finish(); len(report.Stacks) > 0 {
				return report, nil
			}
		}
	}
	if text, stated := casrText(data[start:]); text != nil {
		report, err := scanAll(bytes.NewReader(text), formats())
		if err == nil {
			report.Severity = stated
		}
		return report, err
	}
	if report, ok := readJournal(data[start:]); ok {
		return report, nil
	}
	return scanAll(io.MultiReader(bytes.NewReader(data), in), formats())
}

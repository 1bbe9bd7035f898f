package format

import (
	"errors"
	"io"

	"git-agent/agent/crash"
)

// ErrUnknown says that an input holds no report of a known format.
var ErrUnknown = errors.New("no crash report was found")

// Read reads a crash report. It returns ErrUnknown if it finds no frame and no
// place of a failure, or an error of r.
func Read(r io.Reader) (*crash.Report, error) {
	report, err := scan(r)
	if err != nil {
		return nil, err
	}
	if len(report.Stacks) == 0 {
		return nil, ErrUnknown
	}
	return report, nil
}

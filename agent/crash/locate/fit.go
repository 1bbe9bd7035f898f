package locate

import (
	"bytes"
	"context"
	"errors"

	"git-agent/agent/crash"
	"git-agent/gitext"
)

// Limits on the files whose code is compared with the report.
const (
	maxFitted   = 20      // files
	maxFitBytes = 2 << 20 // of one file
)

// A Fit counts the lines of a report that were compared with the code of a commit.
type Fit struct {
	Same  int // the code at the line is what the report says
	Moved int // the code is at another line, or not in the file
}

// Compare compares the lines of a report's frames with the first of some files at a commit. It
// sets Moved, At and DefinedAt of the frames whose code is not at the report's line. Files that
// cannot be read are left as they are.
func Compare(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, paths []string) (Fit, error) {
	var fit Fit
	for _, path := range paths[:min(len(paths), maxFitted)] {
		blob, err := repo.BlobAt(ctx, commit, path, maxFitBytes)
		if errors.Is(err, gitext.ErrNotExist) || gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return fit, err
		}
		compareFile(report, path, bytes.Split(bytes.TrimSuffix(blob, []byte("\n")), []byte("\n")), &fit)
	}
	return fit, nil
}

// compareFile compares the frames of one file.
func compareFile(report *crash.Report, path string, lines [][]byte, fit *Fit) {
	counted := map[int]bool{}
	for ref, s := range Sites(report, path, lines) {
		f := &report.Stacks[ref.Stack].Frames[ref.Frame]
		if f.Line == 0 {
			continue
		}
		if s.At > 0 && f.Moved && f.At == 0 {
			f.At = s.At // the line itself is not committed
		}
		if !counted[f.Line] && (s.sure || s.Moved) {
			counted[f.Line] = true
			if s.Moved {
				fit.Moved++
			} else {
				fit.Same++
			}
		}
		if !s.Moved {
			continue
		}
		f.Moved, f.At = true, s.At
		if s.At == 0 {
			f.DefinedAt = s.Function.Body
		}
	}
}

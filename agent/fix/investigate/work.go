package investigate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/fixtool"
	"git-agent/gitext"
)

// work is the shared state of all trajectories for one problem.
type work struct {
	repo *gitext.Repo
	in   Input
	opt  Options

	entries      []gitext.TreeEntry  // of the tree; nil before they are needed
	texts        map[string][][]byte // lines of the tree's files, by path; nil for a file that cannot be shown
	testsText    string              // the sources of the failing tests
	suspectsText string
	plainText    string      // suspectsText without grounds of history, for trajectories without history
	writersText  string      // commits that wrote the first suspected functions
	foundText    string      // commits that removed the rarest text of the failing tests
	rejected     []fix.Trial // patches of earlier rounds
}

// prepare makes the parts of the first message that all trajectories share.
func (w *work) prepare(ctx context.Context) (err error) {
	w.texts = map[string][][]byte{}
	if w.testsText, err = w.makeTestsText(ctx); err != nil {
		return err
	}
	if w.suspectsText, err = w.makeSuspectsText(ctx, true); err != nil {
		return err
	}
	if w.plainText, err = w.makeSuspectsText(ctx, false); err != nil || !w.opt.Method.ShowsHistory() {
		return err
	}
	return w.makePastText(ctx)
}

// maxShownFile bounds the size of files for the prompt, in bytes.
const maxShownFile = 4 << 20

// lines returns the lines of a file of the problem's tree, nil if the file does not exist or
// cannot be shown.
func (w *work) lines(ctx context.Context, path string) ([][]byte, error) {
	if lines, ok := w.texts[path]; ok {
		return lines, nil
	}
	text, err := w.read(ctx, path)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	if len(text) > 0 && len(text) <= maxShownFile && !bytes.Contains(text[:min(len(text), 8000)], []byte{0}) {
		lines = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	}
	w.texts[path] = lines
	return lines, nil
}

// read returns a file of the problem's tree, nil if there is none.
func (w *work) read(ctx context.Context, path string) ([]byte, error) {
	over := w.in.Problem.Tree.Over
	if i := slices.IndexFunc(over, func(o gitext.Overlay) bool { return o.Path == path }); i >= 0 {
		if over[i].Mode == 0 || over[i].OID == "" {
			return over[i].Content, nil
		}
		text, err := w.repo.Blob(ctx, over[i].OID, maxShownFile)
		return text, readable(err)
	}
	text, err := w.repo.BlobAt(ctx, w.in.Problem.Tree.Commit, path, maxShownFile)
	return text, readable(err)
}

// readable returns nil for an error that only says that a file does not exist or cannot be
// shown.
func readable(err error) error {
	if errors.Is(err, gitext.ErrNotExist) || gitext.Unreadable(err) {
		return nil
	}
	return err
}

// outputText returns the most informative part of a command's output: its failures, without
// passing tests, progress of a build, and dumps of shadow memory.
func (w *work) outputText(out []byte) string {
	lines := strings.Split(agent.Clean(fixtool.Plain(string(out))), "\n")
	var kept []string
	shadow := false
	for i, line := range lines {
		shadow = inShadow(shadow, line)
		if !shadow && !headsPassing(lines, i) {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(fixtool.Excerpt([]byte(strings.Join(kept, "\n")), maxOutput))
}

// headsPassing reports whether a line of TAP is a heading followed by a passing test.
func headsPassing(lines []string, i int) bool {
	return strings.HasPrefix(lines[i], "# ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "ok ")
}

// inShadow reports whether a line belongs to AddressSanitizer's dump of shadow memory at the
// end of a report, about thirty lines without names of code. before is the result for the
// previous line.
func inShadow(before bool, line string) bool {
	if !before {
		return line == "Shadow bytes around the buggy address:"
	}
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "=>0x") || strings.HasPrefix(line, "Shadow byte legend")
}

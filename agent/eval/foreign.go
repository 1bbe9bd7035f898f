package eval

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"git-agent/gitext/disk"
)

// Foreign holds the answers of another program, which are scored like the answers of our own
// engines.
type Foreign struct {
	SHA256 string                 // of the file's content
	fields map[string]bool        // fields that occur in some line
	lines  map[string]foreignLine // by the id of the case
}

type foreignLine struct {
	number int
	text   json.RawMessage
}

// ReadForeign reads a file of answers: a JSON object on each line, whose "id" names a case. check
// returns an error for a line that the task cannot read. ReadForeign returns an error for a line
// without such an object, and for two lines about the same case.
func ReadForeign(ctx context.Context, path string, check func(line json.RawMessage) error) (*Foreign, error) {
	f, err := disk.Named(ctx, path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	defer f.Close() // the file is only read, so an error here loses nothing
	sum := sha256.New()
	a := &Foreign{fields: map[string]bool{}, lines: map[string]foreignLine{}}
	scan := bufio.NewScanner(io.TeeReader(f, sum))
	scan.Buffer(make([]byte, 0, 64<<10), maxCaseLine)
	n := 0
	for scan.Scan() {
		n++
		line := bytes.TrimSpace(scan.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := a.add(n, bytes.Clone(line), check); err != nil {
			return nil, &CaseError{path, n, err}
		}
	}
	if err := scan.Err(); err != nil {
		return nil, &CaseError{path, n + 1, err}
	}
	a.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return a, nil
}

func (a *Foreign) add(number int, line json.RawMessage, check func(json.RawMessage) error) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return err
	}
	id := ""
	if err := json.Unmarshal(fields["id"], &id); err != nil || id == "" {
		return errors.New(`the field "id", which names the case, is missing or no text`)
	}
	if first, ok := a.lines[id]; ok {
		return fmt.Errorf("case %q is also answered on line %d", id, first.number)
	}
	if err := check(line); err != nil {
		return err
	}
	for name := range fields {
		a.fields[name] = true
	}
	a.lines[id] = foreignLine{number, line}
	return nil
}

// To returns the line with the answer to a case. It returns nil if the file has none, which
// counts as an empty answer.
func (a *Foreign) To(c Case) json.RawMessage { return a.lines[c.Head().ID].text }

// Has reports whether some line has a field. If none has, the program was not asked for the
// field.
func (a *Foreign) Has(field string) bool { return a.fields[field] }

// Coverage counts the cases with an answer in the file, and the answers to unknown cases.
func (a *Foreign) Coverage(cases []Case) (answered, unknown int) {
	for _, c := range cases {
		if a.To(c) != nil {
			answered++
		}
	}
	return answered, len(a.lines) - answered
}

// setting identifies the content of the answers, for Plan.Settings.
func (a *Foreign) setting() string { return "answers=" + a.SHA256[:16] }

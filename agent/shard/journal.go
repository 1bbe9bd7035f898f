package shard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"git-agent/gitext/disk"
)

// Schema identifies the format of a journal. A journal is a text file of JSON lines: a
// Header, followed by one line for each entry.
const Schema = "git-agent/journal/1"

// maxLine is the longest line of a journal, in bytes. It exceeds the longest case with its
// answer.
const maxLine = 256 << 20

// Header is the first line of a journal. It identifies the question and its conditions.
type Header struct {
	Schema  string            `json:"schema"`
	Kind    string            `json:"kind"`              // the kind of question, such as "eval/szz"
	Build   string            `json:"build"`             // of git-agent
	Git     string            `json:"git"`               // version of git
	Options map[string]string `json:"options,omitempty"` // other settings that determine the answers
	Cases   int               `json:"cases"`             // of all shards
	Digest  string            `json:"digest"`            // of all cases
	Shard   string            `json:"shard"`             // as Parse reads it
	Entries int               `json:"entries"`           // number of entries of a complete journal
	About   json.RawMessage   `json:"about,omitempty"`   // for the caller; it is not compared
}

// mixed returns a difference between h and another header that excludes both from the same work,
// or "" if there is none. The version of git may differ.
func (h Header) mixed(other Header) string {
	for _, field := range []struct{ name, a, b string }{
		{"kind", h.Kind, other.Kind},
		{"build", h.Build, other.Build},
		{"number of shards", h.of(), other.of()},
		{"number of cases", fmt.Sprint(h.Cases), fmt.Sprint(other.Cases)},
	} {
		if field.a != field.b {
			return fmt.Sprintf("the %s is %s, not %s", field.name, field.b, field.a)
		}
	}
	names := slices.Sorted(maps.Keys(h.Options))
	for name := range other.Options {
		names = append(names, name)
	}
	for _, name := range names {
		if a, b := h.Options[name], other.Options[name]; a != b {
			return fmt.Sprintf("the option %s is %q, not %q", name, b, a)
		}
	}
	if h.Digest != other.Digest {
		return "the cases are others"
	}
	return ""
}

// of returns the number of shards.
func (h Header) of() string {
	_, n, _ := strings.Cut(h.Shard, "/")
	return n
}

// Entry is one line of a journal after the first.
type Entry struct {
	ID   string          // names the question; a later entry with the same ID replaces it
	Body json.RawMessage // the answer
	At   Place           // position of the body in the file; only of entries that were read
}

// Place is a range of bytes in a file.
type Place struct{ Offset, Length int64 }

// line is the stored form of an entry. The CRC-32C checksum covers the ID and the body. It
// detects lines that two machines wrote over each other.
type line struct {
	Sum  string          `json:"crc32c"`
	ID   string          `json:"id"`
	Body json.RawMessage `json:"entry"`
}

// LineType is the type of the lines of a journal after the first, for its schema.
func LineType() reflect.Type { return reflect.TypeFor[line]() }

func checksum(id string, body []byte) string {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, castagnoli, []byte(id+"\x00"))
	return fmt.Sprintf("%08x", crc32.Update(sum, castagnoli, body))
}

// Journal is a file with the results of one shard. It is safe for concurrent use.
type Journal struct {
	path string
	mu   sync.Mutex
	file *os.File
	torn bool // the file does not end with a line end
}

// notAJournalError is returned for a file that is not a journal.
type notAJournalError struct {
	Path string
	Why  string
}

func (e *notAJournalError) Error() string {
	return fmt.Sprintf("%q is no journal of git agent: %s", e.Path, e.Why)
}

// otherWorkError is returned by Open for a journal of other work.
type otherWorkError struct{ Path, Why string }

func (e *otherWorkError) Error() string {
	return fmt.Sprintf("%q was begun with something else: %s", e.Path, e.Why)
}

// Open opens a journal to continue it, or creates it.
func Open(path string, want Header) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	j := &Journal{path: path, file: f}
	if err := j.begin(want); err != nil {
		f.Close() // the first error matters more
		return nil, err
	}
	return j, nil
}

// begin checks the header of the file. It writes a header to a file without one.
func (j *Journal) begin(want Header) error {
	info, err := j.file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &disk.KindError{Path: j.path, Mode: info.Mode()}
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := j.file.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		j.torn = last[0] != '\n'
	}
	have, err := readHeader(j.file, j.path)
	if errors.Is(err, errNoHeader) {
		want.Schema = Schema
		text, err := json.Marshal(want)
		if err != nil {
			return err
		}
		return j.write(text)
	}
	if err != nil {
		return err
	}
	if why := have.mixed(want); why != "" {
		return &otherWorkError{j.path, why}
	}
	if have.Shard != want.Shard {
		return &otherWorkError{j.path, fmt.Sprintf("the shard is %s, not %s", want.Shard, have.Shard)}
	}
	return nil
}

// errNoHeader is returned for a file without a complete header: the file is empty, or the first
// write was cut off.
var errNoHeader = errors.New("the journal is empty")

// readHeader reads the first complete line that is not the rest of a cut-off header.
func readHeader(r io.ReaderAt, path string) (Header, error) {
	lines := bufio.NewReader(io.NewSectionReader(r, 0, maxLine))
	begin := []byte(`{"schema":"` + Schema + `",`)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return Header{}, fmt.Errorf("read the journal: %w", err)
		}
		var h Header
		switch {
		case len(bytes.TrimSpace(text)) == 0:
		case !bytes.HasPrefix(text, begin[:min(len(begin), len(bytes.TrimRight(text, "\n")))]):
			return h, &notAJournalError{path, "its first line is no header"}
		case json.Unmarshal(text, &h) == nil:
			if _, bad := Parse(h.Shard); bad != nil || h.Entries < 0 || h.Cases < 0 {
				return h, &notAJournalError{path, "its header is damaged"}
			}
			return h, nil
		}
		if err == io.EOF {
			return Header{}, errNoHeader
		}
	}
}

// Append adds an entry. It returns when the entry is on disk.
func (j *Journal) Append(id string, body []byte) error {
	name, err := json.Marshal(id)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(fmt.Appendf(nil, `{"crc32c":%q,"id":%s,"entry":%s}`, checksum(id, body), name, body))
}

// write writes one line in one call. If the last line was cut off, write ends that line first.
func (j *Journal) write(text []byte) error {
	if j.torn {
		text = append([]byte{'\n'}, text...)
	}
	j.torn = true
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write to the journal: %w", err)
	}
	j.torn = false
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write to the journal: %w", err)
	}
	return nil
}

// Entries yields the entries of the journal in the order of writing. It leaves out damaged lines.
func (j *Journal) Entries() iter.Seq2[Entry, error] { return entries(j.file) }

// Close closes the file. Everything is on disk already.
func (j *Journal) Close() error { return j.file.Close() }

// entries yields the undamaged entries of a journal.
func entries(r io.ReaderAt) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := bufio.NewScanner(io.NewSectionReader(r, 0, 1<<62))
		lines.Buffer(make([]byte, 0, 64<<10), maxLine)
		start, next := int64(0), int64(0) // offsets of the current line and the one after it
		lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			n, token, err := bufio.ScanLines(data, atEOF)
			if n > 0 {
				start, next = next, next+int64(n)
			}
			return n, token, err
		})
		for lines.Scan() {
			e, ok := readEntry(lines.Bytes())
			if !ok {
				continue
			}
			e.At.Offset += start
			if !yield(e, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Entry{}, fmt.Errorf("read the journal: %w", err))
		}
	}
}

// readEntry reads one line. It returns false for the header and for a damaged line. The place has
// its offset within the line, which ends with the body.
func readEntry(text []byte) (Entry, bool) {
	l, ok := cutLine(text)
	if ok && l.Sum == checksum(l.ID, l.Body) {
		return l.entry(text), true
	}
	l = line{}
	if !bytes.HasPrefix(text, []byte(`{"crc32c":`)) || json.Unmarshal(text, &l) != nil || l.Sum == "" || l.Sum != checksum(l.ID, l.Body) {
		return Entry{}, false
	}
	return l.entry(text), true
}

// cutLine splits a line in the form that Append writes. It does not parse the body as JSON,
// because parsing dominates the time for a million lines. It returns false for any other form;
// the checksum tells whether the line is damaged.
func cutLine(text []byte) (line, bool) {
	rest, ok1 := bytes.CutPrefix(text, []byte(`{"crc32c":"`))
	sum, rest, ok2 := bytes.Cut(rest, []byte(`","id":"`))
	id, rest, ok3 := bytes.Cut(rest, []byte(`","entry":`))
	body, ok4 := bytes.CutSuffix(rest, []byte(`}`))
	if !ok1 || !ok2 || !ok3 || !ok4 || bytes.ContainsAny(id, `"\`) || bytes.ContainsAny(sum, `"\`) {
		return line{}, false
	}
	return line{string(sum), string(id), body}, true
}

// entry returns the entry of a line with this text.
func (l line) entry(text []byte) Entry {
	return Entry{ID: l.ID, Body: l.Body, At: Place{int64(len(text) - len("}") - len(l.Body)), int64(len(l.Body))}}
}

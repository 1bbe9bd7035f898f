package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-agent/agent/crash"
)

// maxEntry limits one entry of the journal, in bytes.
const maxEntry = 4 << 20

// isJournal recognises the output of journalctl -o json: an object on each line.
func isJournal(first []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(first, " \t\r\n"), []byte("\n"))
	return bytes.HasPrefix(line, []byte("{")) &&
		(bytes.Contains(line, []byte(`"__REALTIME_TIMESTAMP"`)) || bytes.Contains(line, []byte(`"MESSAGE"`)))
}

// An entry holds the fields of a journal entry that describe a crash.
type entry struct {
	Message json.RawMessage `json:"MESSAGE"`
	Signal  string          `json:"COREDUMP_SIGNAL"`
	Trace   string          `json:"COREDUMP_STACKTRACE"`
	Comm    string          `json:"COREDUMP_COMM"`
	PID     string          `json:"COREDUMP_PID"`
}

// journal returns the messages of the journal's entries as lines.
func journal(r io.Reader) io.Reader {
	return &journalReader{in: bufio.NewReaderSize(r, 64<<10)}
}

type journalReader struct {
	in  *bufio.Reader
	out bytes.Buffer
	err error
}

func (j *journalReader) Read(p []byte) (int, error) {
	for j.out.Len() == 0 && j.err == nil {
		j.out.Reset()
		j.next()
	}
	if j.out.Len() > 0 {
		return j.out.Read(p)
	}
	return 0, j.err
}

// next reads one entry. It passes on any other line unchanged.
func (j *journalReader) next() {
	var raw []byte
	for {
		part, err := j.in.ReadSlice('\n')
		if len(raw) < maxEntry {
			raw = append(raw, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		j.err = err
		break
	}
	var e entry
	if json.Unmarshal(raw, &e) != nil {
		j.out.Write(raw)
		return
	}
	e.write(&j.out)
}

// write writes the content of an entry as lines.
func (e *entry) write(out *bytes.Buffer) {
	if e.Signal != "" {
		fmt.Fprintf(out, "Process %s (%s) got signal %s\n", e.PID, e.Comm, e.Signal)
	}
	message := messageText(e.Message)
	out.WriteString(message + "\n")
	if e.Trace != "" && !strings.Contains(message, "Stack trace of thread") {
		out.WriteString(e.Trace + "\n")
	}
}

// messageText returns a message, which is a string, or an array of bytes if it is not text.
func messageText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var numbers []int
	if json.Unmarshal(raw, &numbers) != nil {
		return ""
	}
	b := make([]byte, len(numbers))
	for i, n := range numbers {
		b[i] = byte(n)
	}
	return string(b)
}

// readJournal reads entries that span several lines, as in the output of journalctl -o
// json-pretty.
func readJournal(data []byte) (*crash.Report, bool) {
	if !bytes.Contains(data, []byte(`"MESSAGE"`)) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var out bytes.Buffer
	for {
		var e entry
		if dec.Decode(&e) != nil {
			break
		}
		e.write(&out)
	}
	report, err := scanAll(&out, formats())
	return report, err == nil && len(report.Stacks) > 0
}

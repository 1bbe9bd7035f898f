package address

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
)

// A report can name any file, and a file of some megabytes can be made so that reading it takes all
// memory: by packed sections, or by names that overlap. So binaries are read by this program,
// started again as a worker whose memory and time are limited.

// The limits of a worker.
const (
	readTime  = 30 * time.Second
	maxAnswer = 8 << 20 // bytes of names
)

// readMemory limits a worker's memory, in bytes. Tests lower it.
var readMemory int64 = 4 << 30

// workerMark is the argument of a worker. Nobody types its control character by accident.
const workerMark = "address\x1f"

// The files of a worker, in its directory.
const (
	questionFile = "question"
	answerFile   = "answer"
)

// A place is an address in a binary, as a frame has it.
type place struct {
	Offset uint64
	Mapped bool // it counts from the start of the mapping
	Return bool // it is behind a call, perhaps in another line
}

// A question asks for the functions at places in the first fitting one of several files.
type question struct {
	Files  []string
	Build  string
	Places []place
}

// An answer has the functions at each place of a question.
type answer struct {
	File  string // "" if no file fits
	Debug bool   // the file has debugging information
	Calls [][]call
}

// A reading is what a file says about the places of a report.
type reading struct {
	file  string
	debug bool
	calls map[place][]call
}

// helps says that Helper was called.
var helps atomic.Bool

// Helper must be called early in a program that names addresses, behind [sandbox.Helper]: only then
// are the memory and the time limited that a binary costs. In a process that was started as a worker,
// it does the work and never returns.
func Helper() {
	helps.Store(true)
	if len(os.Args) != 2 || os.Args[1] != workerMark {
		return
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work answers the question in the current directory.
func work() error {
	text, err := os.ReadFile(questionFile)
	if err != nil {
		return err
	}
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	if text, err = json.Marshal(q.answer()); err != nil {
		return err
	}
	return os.WriteFile(answerFile, text, 0o600)
}

// answer reads the files.
func (q question) answer() answer {
	im := richest(q.Files, q.Build)
	if im == nil {
		return answer{}
	}
	a := answer{File: im.file, Debug: im.dwarf != nil, Calls: make([][]call, len(q.Places))}
	left := maxAnswer
	for i, at := range q.Places {
		offset := at.Offset
		if at.Mapped {
			offset += im.base
		}
		if at.Return && offset > 0 {
			offset--
		}
		a.Calls[i] = im.calls(offset)
		for _, c := range a.Calls[i] {
			left -= len(c.Symbol) + len(c.Name) + len(c.File)
		}
		if left < 0 {
			a.Calls[i] = nil
			break
		}
	}
	return a
}

// read returns what the first fitting one of the files says about all frames of the binary of f,
// or nil.
func (w *naming) read(ctx context.Context, f crash.Frame, files ...string) *reading {
	q := question{Build: f.Build, Places: w.places[keyOf(f)]}
	for _, file := range files {
		file, err := filepath.Abs(file)
		if info, statErr := os.Stat(file); err == nil && statErr == nil && info.Mode().IsRegular() {
			q.Files = append(q.Files, file)
		}
	}
	if len(q.Files) == 0 {
		return nil
	}
	a, err := q.send(ctx)
	if err != nil {
		w.unread = fmt.Sprintf("%s: %v", q.Files[0], err)
	}
	if a.File == "" {
		return nil
	}
	b := &reading{file: a.File, debug: a.Debug, calls: map[place][]call{}}
	for i, calls := range a.Calls {
		b.calls[q.Places[i]] = calls
	}
	return b
}

// send lets a worker answer a question.
func (q question) send(ctx context.Context) (a answer, err error) {
	if !helps.Load() {
		return q.answer(), nil
	}
	dir, err := disk.MakeTemp()
	if err != nil {
		return answer{}, err
	}
	defer dir.Remove() // what is left does no harm
	self, err := os.Executable()
	if err != nil {
		return answer{}, err
	}
	text, err := json.Marshal(q)
	if err != nil {
		return answer{}, err
	}
	if err := os.WriteFile(filepath.Join(dir.Path, questionFile), text, 0o600); err != nil {
		return answer{}, err
	}
	worker := sandbox.Spec{Dir: dir.Path, Argv: []string{self, workerMark}, Sandbox: sandbox.None, Timeout: readTime}
	if runtime.GOOS == "linux" { // elsewhere there may be no sh, which sets the limit
		worker.Memory = readMemory
	}
	result, err := sandbox.Run(ctx, worker)
	switch {
	case err != nil:
		return answer{}, err
	case result.TimedOut:
		return answer{}, fmt.Errorf("reading it takes more than %v", readTime)
	case result.Starved:
		return answer{}, fmt.Errorf("reading it takes more than %d MiB of memory", readMemory>>20)
	case result.Exit != 0:
		return answer{}, fmt.Errorf("reading it failed (exit %d)", result.Exit)
	}
	if text, err = os.ReadFile(filepath.Join(dir.Path, answerFile)); err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

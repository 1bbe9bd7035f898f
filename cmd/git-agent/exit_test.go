package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"git-agent/agent/model"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
)

// Other errors do not hide a command's result: an error of writing is ignored
// only if the reader of the answer has left.
func TestReport(t *testing.T) {
	unread := func(t *testing.T) error {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		defer w.Close()
		_, err = io.WriteString(ui.AnswerWriter{Writer: w}, "x")
		return err
	}
	gone := fmt.Errorf("write: %w", syscall.EPIPE)
	for name, c := range map[string]struct {
		err  error
		code int
		text string
	}{
		"nothing":               {nil, app.ExitFound, ""},
		"no suspect":            {errors.Join(app.ExitStatus(app.ExitNothing), nil), app.ExitNothing, ""},
		"and a file is full":    {errors.Join(app.ExitStatus(app.ExitNothing), errors.New("no space")), app.ExitFatal, "fatal: no space\n"},
		"the reader has left":   {unread(t), app.ExitFound, ""},
		"another pipe is gone":  {gone, app.ExitFatal, "fatal: write: broken pipe\n"},
		"the model's server is": {&model.Error{Class: model.ClassTransport, Err: gone}, app.ExitModel, "fatal: the model server failed (transport): write: broken pipe\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			a := &app.App{Stderr: &errs}
			if code := a.Report(context.Background(), nil, c.err); code != c.code || errs.String() != c.text {
				t.Errorf("exit code %d, want %d; text %q, want %q", code, c.code, &errs, c.text)
			}
		})
	}
}

// Events without a reader change neither the answers nor the exit code.
func TestEventsNobodyReads(t *testing.T) {
	for revisions, code := range map[string]int{"HEAD\n": app.ExitFound, "HEAD\nHEAD~2\n": app.ExitNothing, "HEAD\nHEAD~9\n": app.ExitFatal} {
		p := prepareProgram(t, "szz", "--algorithm=b", "--stdin", "--format=%s", "--events=/dev/fd/3")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var out bytes.Buffer
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.ExtraFiles = strings.NewReader(revisions), &out, []*os.File{w}
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got := p.exitCode(t); got != code || out.String() != "a is 2\n" || strings.Contains(p.stderr.String(), "pipe") {
			t.Errorf("%q: exit code %d, want %d; stdout %q; stderr %q", revisions, got, code, &out, &p.stderr)
		}
	}
}

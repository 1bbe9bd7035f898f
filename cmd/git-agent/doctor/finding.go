package doctor

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
	schemas "git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/gitcmd"
)

// schema is the schema of --json.
const schema = "git-agent/doctor/1"

// The statuses of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// finding is the result of one check, and its documented JSON form. Fix is a
// command that solves the problem, or "".
type finding struct {
	Schema string `json:"schema"`
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Format is the form of one finding.
func Format() schemas.Format {
	return schemas.Format{Name: "doctor", Title: "git agent doctor --json: the result of one check", ID: schema, Type: reflect.TypeFor[finding](),
		Values: map[string][]any{"status": {checkOK, checkWarn, checkFail}}}
}

func ok(check, format string, args ...any) finding {
	return finding{Check: check, Status: checkOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(check, fix, format string, args ...any) finding {
	return finding{Check: check, Status: checkWarn, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// hintOf returns the hint in an error of git or of the cache, or "".
func hintOf(err error) string {
	var git *gitcmd.Error
	var kept *cache.Error
	switch {
	case errors.As(err, &git):
		return git.Hint
	case errors.As(err, &kept):
		return kept.Hint
	}
	return ""
}

func fail(check, fix, format string, args ...any) finding {
	return finding{Check: check, Status: checkFail, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// print prints a finding, as text or as JSON.
func (v *visit) print(f finding) error {
	switch {
	case v.JSON:
		f.Schema = schema
		return render.WriteJSON(v.Stdout, f, "\n")
	case v.Quiet && f.Status == checkOK:
		return nil
	}
	return printFinding(v.Stdout, v.Color, f)
}

func printFinding(w io.Writer, color ui.Palette, f finding) error {
	slot := map[string]string{checkOK: "ok", checkWarn: "warning", checkFail: "error"}[f.Status]
	text := fmt.Sprintf("%s %-13s %s\n", color.Paint(slot, fmt.Sprintf("%-4s", f.Status)), f.Check, ui.OneLine(f.Detail))
	if f.Fix != "" {
		text += fmt.Sprintf("%19s%s\n", "", color.Paint("command", ui.OneLine(f.Fix)))
	}
	_, err := io.WriteString(w, text)
	return err
}

package evalcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/eval"
	"git-agent/cmd/git-agent/app"
)

// answerFlags are the options for scoring the answers of other programs.
type answerFlags struct {
	Answers []string `name:"answers" sep:"none" placeholder:"<name>=<file>" help:"also score the answers of another program, which are in <file>, as the algorithm <name>; may be given several times"`
}

// isProgramName reports whether a name is valid for a program whose answers are scored. A comma
// or an equals sign would be part of an option.
func isProgramName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name != "" && strings.Contains(letters, name[:1]) && strings.Trim(name, letters+"._-") == ""
}

// files returns the names of the programs, in their order, and their files. own reports whether
// one of our own algorithms has the name.
func (f *answerFlags) files(own func(name string) bool) (names []string, file map[string]string, err error) {
	file = map[string]string{}
	for _, text := range f.Answers {
		name, path, ok := strings.Cut(text, "=")
		switch {
		case !ok || path == "":
			return nil, nil, app.Usagef("--answers=%s has no file; write --answers=<name>=<file>", text)
		case !isProgramName(name):
			return nil, nil, app.Usagef("--answers: the name %q has other characters than letters, digits, dot, hyphen and underscore", name)
		case own(name) || name == "agent" || strings.HasPrefix(name, "agent-"):
			return nil, nil, app.Usagef("--answers: %s is the name of an algorithm of git agent; give the other program another name", name)
		case file[name] != "":
			return nil, nil, app.Usagef("--answers names %s twice", name)
		}
		names, file[name] = append(names, name), path
	}
	return names, file, nil
}

// add adds the names of the programs to a list of algorithms, and returns them.
func (f *answerFlags) add(algorithms *[]string, own func(name string) bool) (names []string, err error) {
	names, _, err = f.files(own)
	for _, name := range names {
		if !slices.Contains(*algorithms, name) {
			*algorithms = append(*algorithms, name)
		}
	}
	return names, err
}

// read reads the answers of the programs.
func (f *answerFlags) read(ctx context.Context, check func(json.RawMessage) error) (map[string]*eval.Foreign, error) {
	_, file, err := f.files(func(string) bool { return false }) // the names were checked
	if err != nil {
		return nil, err
	}
	read := map[string]*eval.Foreign{}
	for name, path := range file {
		if read[name], err = eval.ReadForeign(ctx, path, check); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// addAnswers reads the answers of other programs, reports the omitted cases, and adds the answers
// to a plan for some of the cases.
func (e *evaluation) addAnswers(ctx context.Context, a *app.App, plan *eval.Plan, cases []eval.Case) (err error) {
	if plan.Foreign, err = e.answerFlags.read(ctx, e.foreignLine); err != nil {
		return err
	}
	for _, name := range e.algorithms {
		from := plan.Foreign[name]
		if from == nil {
			continue
		}
		if n, unknown := from.Coverage(cases); n < len(cases) || unknown > 0 {
			fmt.Fprintf(a.Stderr, "%s answers %d of %d cases; a case that it does not answer counts as wrong", name, n, len(cases))
			if unknown > 0 {
				fmt.Fprintf(a.Stderr, "; the file has %d answers more, to none of these cases", unknown)
			}
			fmt.Fprintln(a.Stderr)
		}
	}
	return nil
}

package bisecttrain

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"git-agent/cmd/train/material"
	"git-agent/cmd/train/szztrain/execute"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// A runnable is a case of `git agent eval bisect` whose tests are laid over each commit as they
// were when its culprit was found.
type runnable struct {
	known
	Build string             `json:"build_cmd,omitempty"`
	Test  string             `json:"test_cmd"`
	Files map[string]*string `json:"files"`
}

// cases writes the regressions as cases that can be run.
func cases(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("cases", flag.ContinueOnError)
	root := flags.String("repos", "", "`folder` with the repositories")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := readRegressions(flags.Args())
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, c := range list {
		r, err := runnableOf(ctx, *root, c)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
			continue
		}
		if err := errors.Join(out.Encode(r), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// runnableOf returns the case of a regression.
func runnableOf(ctx context.Context, root string, c regression) (*runnable, error) {
	repo, err := material.Open(ctx, root, c.Repo)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	laid, err := execute.LaidOf(ctx, repo, c.Fix, execute.Proof{
		Language: c.Langs[0], Tests: c.Proof.Tests, Files: c.Proof.Files, Alone: c.Proof.Alone,
	})
	if err != nil {
		return nil, err
	}
	r := &runnable{known: c.known, Build: c.Proof.Build, Test: c.Proof.Command, Files: laid.Files}
	switch c.Langs[0] {
	case "Java":
		runner := execute.JavaRunner()
		r.Build = "mkdir -p " + path.Dir(runner.Path) + " && " + decoded(runner.Content, runner.Path) +
			" && find . -name module-info.java -exec rm {} +" + after(r.Build)
	case "Go":
		module, err := moduleOf(ctx, repo, c)
		if err != nil {
			return nil, err
		}
		r.Build = goFiles + "[ -f go.mod ] || " + decoded(module, "go.mod")
	case "Rust":
		r.Build = cargoFiles
		for _, p := range slices.Sorted(maps.Keys(laid.Modules)) {
			r.Build += " && mkdir -p .executed && " + decoded(laid.Modules[p], ".executed/module") + " && " + splice + quote.Shell(p)
		}
	}
	return r, nil
}

// goFiles lets git replace a go.mod and a go.sum that a command made by those of the next commit.
const goFiles = `(echo /go.mod; echo /go.sum) >>"$(git rev-parse --git-path info/exclude)" 2>/dev/null; `

// cargoFiles removes the lock and the benchmarks, as the search for the culprit did.
const cargoFiles = `rm -f Cargo.lock && awk '/^[ \t]*\[/ { skip = /^[ \t]*(\[\[bench\]\]|\[dev-dependencies\.criterion\])/ } ` +
	`!skip && !/^[ \t]*criterion(\.[A-Za-z0-9_]+)?[ \t]*=/' Cargo.toml >.cargo.new && mv .cargo.new Cargo.toml`

// splice replaces the last test module of a source file of Rust by the one in .executed/module.
const splice = `perl -0777 -i -pe 'BEGIN { open F, "<", ".executed/module"; local $/; $m = <F> } ` +
	`s/.*\K^#\[cfg\((?:all\(|any\()?test\b[^\n]*\n(?:#[^\n]*\n)*(?:pub(?:\(\w+\))? )?mod \w+ \{.*?^\}[^\n]*\n/$m/ms or $_ .= "\n$m"' `

// after returns a command that follows another one, which may be missing.
func after(command string) string {
	if command == "" {
		return ""
	}
	return " && " + command
}

// decoded is a command that writes a text to a file.
func decoded(text []byte, to string) string {
	return "echo " + base64.StdEncoding.EncodeToString(text) + " | base64 -d >" + quote.Shell(to)
}

// moduleOf returns the go.mod of a fix, or one that is made for it.
func moduleOf(ctx context.Context, repo *gitext.Repo, c regression) ([]byte, error) {
	text, err := repo.BlobAt(ctx, c.Fix, "go.mod", 1<<20)
	if errors.Is(err, gitext.ErrNotExist) {
		text, err = []byte("module github.com/"+c.Repo+"\n\ngo 1.16\n"), nil
	}
	return text, err
}

// openBefore opens the repository of a case, which the caller closes, and returns the parent of the fix, which fails.
func openBefore(ctx context.Context, root string, c regression) (repo *gitext.Repo, bad gitext.OID, err error) {
	if repo, err = material.Open(ctx, root, c.Repo); err != nil {
		return nil, "", err
	}
	fixed, err := repo.Commit(ctx, c.Fix)
	if err != nil {
		return nil, "", errors.Join(err, repo.Close())
	}
	return repo, fixed.Parents[0], nil
}

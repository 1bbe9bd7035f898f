package szzcmd

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/agent/szz/verify"
	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// verifies reports whether a command is run at the suspects.
func (c *Szz) verifies() bool { return c.Verify || c.VerifyCmd != "" }

// checkVerify returns an error for options about the command that make no sense.
func (c *Szz) checkVerify() error {
	needs := func(option string) error { return app.Usagef("%s needs --verify or --verify-cmd=<command>", option) }
	switch {
	case c.Bisect && !c.verifies():
		return needs("--bisect")
	case len(c.With) > 0 && !c.verifies():
		return needs("--with")
	case c.VerifyTimeout != 0 && !c.verifies():
		return needs("--verify-timeout")
	case c.VerifyTimeout < 0:
		return app.Usagef("--verify-timeout takes no negative duration")
	case c.Network && !c.verifies():
		return needs("--network")
	case c.VerifyMemory != "" && !c.verifies():
		return needs("--verify-memory")
	case c.VerifyMemory != "" && c.memory() < 1<<20:
		return app.Usagef("--verify-memory takes a size from 1m, such as 512m or 2g, not %q", c.VerifyMemory)
	case c.RunsAtMost != 0 && !c.verifies():
		return needs("--runs-at-most")
	case c.RunsAtMost < 0:
		return app.Usagef("--runs-at-most takes a number from 1")
	case c.verifies() && c.uncommitted():
		return app.Usagef("--verify and --verify-cmd need a fix that is committed")
	}
	return nil
}

// adviseNetwork prints the option with which a command gets what it lacks at a suspect.
func (c *Szz) adviseNetwork(ctx context.Context, a *app.App, v *szz.Answer) {
	if c.Network || !c.verifies() {
		return
	}
	said := slices.Clone(v.Notes)
	for _, s := range v.Suspects {
		if s.Confirmation != nil {
			said = append(said, s.Confirmation.Detail)
		}
	}
	if v.Owner != nil && v.Owner.Confirmation != nil {
		said = append(said, v.Owner.Confirmation.Detail)
	}
	if slices.ContainsFunc(said, testrun.Downloads) {
		a.Hint(ctx, "--network lets the command download what it lacks at a commit")
	}
}

// adviseBisect prints how to find the culprit, if the command refutes each suspect that it could judge.
func (c *Szz) adviseBisect(ctx context.Context, a *app.App, v *szz.Answer) {
	if c.Bisect || !c.verifies() {
		return
	}
	refuted := false
	for _, s := range v.Suspects {
		if s.Confirmation == nil {
			continue
		}
		if s.Confirmation.Status != suspect.Refuted {
			return
		}
		refuted = true
	}
	if refuted {
		a.Hint(ctx, "no suspect introduced the failure; --bisect also runs the command at other commits")
	}
}

// memory returns the limit of --verify-memory in bytes, or 0 if it is missing or invalid.
func (c *Szz) memory() int64 {
	n, _ := gitconfig.ParseSize(c.VerifyMemory) // check rejects an invalid size
	return n
}

// engine returns the engine that answers. If a command is run, it has no cache,
// because a verified answer depends on the machine.
func (c *Szz) engine(ctx context.Context, a *app.App, repo *gitext.Repo, agent *engine.Agent) *engine.Engine {
	e := &engine.Engine{Repo: repo, Agent: agent, Build: app.BuildIdentity()}
	if c.verifies() {
		e.Verify = &verify.Options{Bisect: c.Bisect, Options: trial.Options{
			Command: c.VerifyCmd, Timeout: c.VerifyTimeout, Memory: c.memory(), MaxRuns: c.RunsAtMost, Network: c.Network,
			Sandbox: c.confinement.Level, Readable: c.confinement.Readable, Writable: c.confinement.Writable,
			Compiled: a.CompiledFolder(ctx, repo),
		}}
		e.Verify.Compiling, _ = testcmd.CompileOnly(c.VerifyCmd)
		if c.Verify {
			e.Verify.Find, e.Verify.Focus, e.Verify.Cure = c.testsOfFix, testcmd.Focus, cureAt
		}
	} else if c.Cache && !repo.Shallow() {
		e.Cache = a.Data.OpenCache(ctx, repo)
	}
	return e
}

// layOver gives the verification the files of --with, and the way to fetch what a commit lacks.
func (c *Szz) layOver(ctx context.Context, repo *gitext.Repo, e *engine.Engine) (err error) {
	if e.Verify == nil {
		return nil
	}
	if e.Fetch != nil {
		e.Verify.Fetch = e.Fetch.Checkout
	}
	_, e.Verify.Over, err = app.FilesOver(ctx, repo, c.With)
	return err
}

// cureAt says how to get what a command lacks at a commit.
func cureAt(ctx context.Context, repo *gitext.Repo, at gitext.OID, command string, e testrun.Ending) (string, error) {
	cure, err := testcmd.CureOf(ctx, repo, fix.Tree{Commit: at}, testrun.Summarize(command, []testrun.Ending{e}))
	if cure.Option == testcmd.Build { // an option of fix and bisect
		return "--verify-cmd=<command> takes a command that also builds the project", err
	}
	return cure.Note("with " + at.Short() + " checked out"), err
}

// mostCommands bounds the commands that are tried for a fix before one that runs all tests.
const mostCommands = 4

// testsOfFix returns the commands that run the tests that a fix adds or changes: those that the
// files of the repository suggest, narrowed to one of these files each, or to a test file that reads
// one of these files. If there is none, it returns one that runs all tests. The error says why
// there is none.
func (c *Szz) testsOfFix(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) ([]verify.Found, error) {
	files, texts, err := testFilesOf(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the fix changes no test; --verify-cmd=<command> names a command that shows the bug")
	}
	proposals, err := testcmd.Propose(ctx, repo, fix.Tree{Commit: fc.Fix}, files[0])
	if err != nil {
		return nil, err
	}
	if c.Network {
		proposals = testcmd.Online(proposals)
	}
	var commands, data []string
	guessed := false // a command may run no test of the file
	for _, file := range files {
		of := testcmd.OfFile(proposals, file, texts[file])
		if len(of) == 0 {
			data = append(data, file)
		}
		commands = append(commands, of...)
		guessed = guessed || testcmd.ByNameAlone(file)
	}
	readers, err := readersOf(ctx, repo, fc.Fix, data)
	if err != nil {
		return nil, err
	}
	for _, file := range readers {
		text, err := repo.BlobAt(ctx, fc.Fix, file, maxTestFile)
		if err == nil {
			commands = append(commands, testcmd.OfFile(proposals, file, text)...)
		}
	}
	commands = agent.Unique(commands)
	commands = commands[:min(len(commands), mostCommands)]
	suite := ""
	if len(commands) == 0 || guessed {
		if suite = testcmd.Suite(proposals); suite != "" {
			commands = agent.Unique(append(commands, suite))
		}
	}
	if len(commands) == 0 {
		return nil, noCommand(files)
	}
	found := make([]verify.Found, len(commands))
	for i, command := range commands {
		compiling, _ := testcmd.CompileOnly(command)
		found[i] = verify.Found{Command: command, Compiling: compiling, Builds: testcmd.SkipsUnbuilt(command), Whole: command == suite}
	}
	return found, nil
}

// testFilesOf returns the test files and the source files with unit tests that a fix adds or changes, and their
// texts, of a unit test the added lines.
func testFilesOf(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (files []string, texts map[string][]byte, err error) {
	changes, err := repo.Changes(ctx, fc.Parent, fc.Fix, gitext.PatchOptions{Renames: true})
	if err != nil {
		return nil, nil, err
	}
	texts = map[string][]byte{}
	for _, f := range changes {
		if f.Status == 'D' || f.Submodule || source.FileKindOf(f.NewPath) != source.TestFile {
			continue
		}
		if text, err := repo.BlobAt(ctx, fc.Fix, f.NewPath, maxTestFile); err == nil { // a file that cannot be read has no command
			files, texts[f.NewPath] = append(files, f.NewPath), text
		}
	}
	units, err := verify.UnitTests(ctx, repo, fc)
	for _, u := range units {
		files, texts[u.Path] = append(files, u.Path), u.Added
	}
	return files, texts, err
}

// readersOf returns the test files that read the data of a fix.
func readersOf(ctx context.Context, repo *gitext.Repo, at gitext.OID, data []string) (readers []string, err error) {
	for _, file := range data[:min(len(data), mostCommands)] {
		of, err := testcmd.Readers(ctx, repo, at, file)
		if err != nil {
			return nil, err
		}
		readers = append(readers, of...)
	}
	return agent.Unique(readers), nil
}

// noCommand says that no command is known for the test files of a fix. It names one that may run: data of tests does not.
func noCommand(files []string) error {
	runs := func(file string) bool { return source.FileKindOf(path.Base(file)) != source.OtherFile }
	if i := slices.IndexFunc(files, runs); i >= 0 {
		return fmt.Errorf("no command is known that runs %s; --verify-cmd=<command> names one", files[i])
	}
	return fmt.Errorf("of the tests, the fix changes only data, such as %s; --verify-cmd=<command> names a command that reads it", files[0])
}

// maxTestFile bounds a test file that is read, in bytes.
const maxTestFile = 1 << 20

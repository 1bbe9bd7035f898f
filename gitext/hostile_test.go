package gitext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everything calls all functions of gitext and records the answers.
func everything(t *testing.T, r *Repo) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	say := func(what string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		fmt.Fprintf(&b, "%s: %+v\n", what, v)
	}
	head, err := r.Resolve(ctx, "HEAD")
	say("head", head, err)
	all, err := r.ResolveRevisions(ctx, []string{"HEAD~3..HEAD"})
	say("range", all, err)
	commits, err := r.Commits(ctx, all)
	say("commits", commits, err)
	for _, opt := range []PatchOptions{{Context: 3, Renames: true}, {Copies: true}, {FunctionContext: true}} {
		for p, err := range r.Patches(ctx, all, opt) {
			if say("patch", "", err); err == nil {
				b.WriteString(patchText(p))
			}
		}
	}
	stats, err := r.Stats(ctx, all)
	say("stats", stats, err)
	for _, opt := range []BlameOptions{{}, {IgnoreSpace: true, Moves: true, Copies: 1}} {
		lines, err := r.Blame(ctx, head, "b.c", opt)
		say("blame", lines, err)
	}
	for e, err := range r.Log(ctx, LogOptions{Tip: head, Files: true}) {
		say("log", e, err)
	}
	for e, err := range r.Log(ctx, LogOptions{Tip: head, Paths: []string{"b.c"}, Follow: true}) {
		say("follow", e, err)
	}
	for e, err := range r.Log(ctx, LogOptions{Tip: head, Paths: []string{"b.c"}}) {
		say("log of a path", e, err)
	}
	pick := PickaxeOptions{LogOptions: LogOptions{Tip: head, Files: true}, Needle: "needle"}
	for e, err := range r.LogS(ctx, pick) {
		say("-S", e, err)
	}
	for e, err := range r.LogG(ctx, pick) {
		say("-G", e, err)
	}
	for e, err := range r.LogL(ctx, LogLOptions{Tip: head, Path: "b.c", Function: "second", Patch: true}) {
		say("-L", e.LogEntry, err)
		b.Write(e.Patch)
	}
	matches, err := r.Grep(ctx, head, GrepOptions{Pattern: "needle|a.b"})
	say("grep", matches, err)
	blob, err := r.BlobAt(ctx, head, "b.c", 0)
	say("blob", string(blob), err)
	older, err := r.IsAncestor(ctx, all[len(all)-1], head)
	say("ancestor", older, err)
	staged, err := r.PatchStaged(ctx, PatchOptions{Context: 3, Renames: true})
	if say("staged", "", err); err == nil {
		b.WriteString(patchText(staged))
	}
	tree, err := r.PatchWorktree(ctx, PatchOptions{Context: 3, Renames: true})
	if say("work tree", "", err); err == nil {
		b.WriteString(patchText(tree))
	}
	return b.String()
}

// hostileConfig sets every key known to change git's output or to run a program.
// CANARY stands for a program that leaves a mark.
const hostileConfig = `
[core]
	fsmonitor = CANARY fsmonitor
	hooksPath = HOOKS
	pager = CANARY pager
	editor = CANARY editor
	sshCommand = CANARY ssh
	gitProxy = CANARY proxy
	askPass = CANARY askpass
	alternateRefsCommand = CANARY refs
	quotePath = true
	abbrev = 4
	whitespace = tab-in-indent,cr-at-eol
	attributesFile = ATTRIBUTES
	notesRef = refs/notes/commits
	commitGraph = false
	useReplaceRefs = true
[diff]
	external = CANARY external
	noprefix = true
	mnemonicPrefix = true
	srcPrefix = x/
	dstPrefix = y/
	renames = false
	renameLimit = 1
	context = 0
	interHunkContext = 9
	orderFile = ORDER
	suppressBlankEmpty = true
	algorithm = patience
	indentHeuristic = false
	colorMoved = zebra
	wsErrorHighlight = all
	submodule = log
	ignoreSubmodules = all
	relative = true
	statGraphWidth = 3
	wordRegex = .
	tool = evil
	dirstat = files
[diff "evil"]
	command = CANARY command
	textconv = CANARY textconv
	cachetextconv = true
	xfuncname = ^never
	binary = true
[filter "evil"]
	clean = CANARY clean
	smudge = CANARY smudge
	process = CANARY process
	required = true
[merge "evil"]
	driver = CANARY merge
[color]
	ui = always
	diff = always
	grep = always
[blame]
	showRoot = true
	showEmail = true
	date = short
	blankBoundary = true
	coloring = highlightRecent
	markIgnoredLines = true
	markUnblamableLines = true
	ignoreRevsFile = /no/such/file
[log]
	showSignature = true
	decorate = full
	date = raw
	mailmap = true
	follow = true
	showRoot = false
	diffMerges = separate
	abbrevCommit = true
[format]
	pretty = oneline
	notes = *
[notes]
	displayRef = *
[mailmap]
	file = MAILMAP
[gpg]
	program = CANARY gpg
[i18n]
	logOutputEncoding = ISO-8859-1
	commitEncoding = ISO-8859-1
[grep]
	patternType = perl
	lineNumber = false
	column = true
	fullName = false
	fallbackToNoIndex = true
	threads = 1
[pager]
	log = CANARY pager
	show = CANARY pager
	blame = CANARY pager
	diff = CANARY pager
[alias]
	log = !CANARY alias
	blame = !CANARY alias
[interactive]
	diffFilter = CANARY diffFilter
[uploadpack]
	packObjectsHook = CANARY pack
[remote "evil"]
	url = ext::CANARY remote
	promisor = true
	partialCloneFilter = blob:none
	uploadpack = CANARY uploadpack
[credential]
	helper = !CANARY credential
[submodule]
	recurse = true
[gc]
	auto = 1
[protocol]
	allow = always
`

// poison makes a repository and its surroundings as hostile as possible, and
// returns a function that lists the executed programs.
func poison(t *testing.T, f *fixture) (ran func() []string) {
	t.Helper()
	lair := t.TempDir()
	marks, hooks := filepath.Join(lair, "marks"), filepath.Join(lair, "hooks")
	for _, dir := range []string{marks, hooks} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path, text string, mode os.FileMode) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	canary := put(filepath.Join(lair, "canary"), "#!/bin/sh\ntouch \""+marks+"/$1\"\ncat\n", 0o755)
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman"} {
		put(filepath.Join(hooks, hook), "#!/bin/sh\ntouch "+marks+"/hook-"+hook+"\n", 0o755)
	}
	attributes := put(filepath.Join(lair, "attributes"), "* diff=evil filter=evil merge=evil\n", 0o644)
	config := strings.NewReplacer("CANARY", canary, "HOOKS", hooks, "ATTRIBUTES", attributes,
		"ORDER", put(filepath.Join(lair, "order"), "z*\nb*\na*\n", 0o644),
		"MAILMAP", put(filepath.Join(lair, "mailmap"), "Other Name <other@example.org> <ann@example.org>\n", 0o644)).Replace(hostileConfig)

	// Steps that need a working git come before the poison.
	f.git("notes", "add", "-m", "a note that nobody asked for", "HEAD")
	f.git("replace", "HEAD~1", "HEAD~2")
	dir := filepath.Join(f.dir, ".git")
	f.t.Helper()
	put(filepath.Join(dir, "info", "grafts"), string(f.oid("HEAD"))+"\n", 0o644)
	put(filepath.Join(dir, "info", "attributes"), "* diff=evil filter=evil -text\n", 0o644)
	own, err := os.ReadFile(filepath.Join(dir, "config"))
	if err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(dir, "config"), string(own)+config, 0o644)
	global := strings.ReplaceAll(config, "[filter \"evil\"]", "[filter \"unused\"]") // a filter of the user's own is the user's choice
	put(os.Getenv("GIT_CONFIG_GLOBAL"), global, 0o644)
	for name, value := range map[string]string{
		"GIT_DIFF_OPTS": "-u0", "GIT_EXTERNAL_DIFF": canary + " env-diff", "GIT_PAGER": canary + " env-pager", "PAGER": canary + " env-pager",
		"GIT_TRACE": "1", "GIT_SSH_COMMAND": canary + " env-ssh", "GIT_ICASE_PATHSPECS": "1", "GIT_NOTES_REF": "refs/notes/commits",
		"GIT_NO_LAZY_FETCH": "0", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.context", "GIT_CONFIG_VALUE_0": "7",
		"LC_ALL": "C", "LANGUAGE": "de", "COLUMNS": "40", "GIT_ASKPASS": canary + " env-askpass",
	} {
		t.Setenv(name, value)
	}
	return func() []string {
		var names []string
		entries, _ := os.ReadDir(marks)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
}

func TestHostileConfigurationChangesNothing(t *testing.T) {
	// With hostile settings in the repository, in the user's configuration and in
	// the environment, all answers have the same bytes and no program has run.
	f := newFixture(t)
	busyHistory(f)
	f.write("text", "needle\nä a.b\n")
	f.write("blank", "a\n\n\nb\n")
	f.commit("needle ä")
	f.write("blank", "a\n\n\n\nb\n")
	f.commit("blank")
	f.write("text", "needle\nstaged\n")
	f.git("add", "text")
	f.write("text", "needle\nstaged\nnot staged\n")
	want := everything(t, f.open())
	ran := poison(t, f)
	for _, bloom := range []BloomMode{BloomAuto, BloomOff, BloomBuild} {
		got := everything(t, openAt(t, OpenOptions{Dir: f.dir, Bloom: bloom}))
		if got != want {
			t.Errorf("the answers differ: %s", firstDifference(got, want))
		}
	}
	if names := ran(); names != nil {
		t.Errorf("programs that ran: %q", names)
	}
	// The poison is effective: plain git runs its programs.
	if _, err := f.try(f.dir, "diff", "HEAD"); err != nil {
		t.Log(err)
	}
	if ran() == nil {
		t.Error("no canary sings at all: this test proves nothing")
	}
}

func TestMissingObjectOfAHostilePromisor(t *testing.T) {
	// A promised object is not fetched, for any program in the repository's
	// configuration.
	f := newFixture(t)
	f.write("f", "gone\n")
	f.commit("zero")
	f.commit("one")
	head := f.commit("two")
	blob := f.oid("HEAD:f")
	ran := poison(t, f)
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", string(blob[:2]), string(blob[2:]))); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	if _, err := r.BlobAt(t.Context(), head, "f", 0); err == nil {
		t.Error("the object came from somewhere")
	}
	if _, err := r.Blame(t.Context(), head, "f", BlameOptions{}); err == nil {
		t.Error("the object came from somewhere")
	}
	if _, err := r.Resolve(t.Context(), string(blob)); err == nil {
		t.Error("a blob is no commit")
	}
	if names := ran(); names != nil {
		t.Errorf("programs that ran: %q", names)
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("at byte %d: got %q, want %q", i, around(a, i), around(b, i))
}

func around(s string, i int) string { return s[max(0, i-150):min(len(s), i+150)] }

//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// attributeText assigns the driver "evil" to every file, so that git runs the programs
// that are configured for it.
const attributeText = "* diff=evil filter=evil merge=evil\n"

// commandSettings are the keys that name a program, according to git's manuals. Each
// has a section, a key, and further settings that are needed for the program to run.
var commandSettings = []struct{ section, key, more string }{
	{"core", "fsmonitor", ""},
	{"core", "sshCommand", "[remote \"origin\"]\n\turl = ssh://h/r\n\tpromisor = true\n"},
	{"core", "gitProxy", "[remote \"origin\"]\n\turl = git://h/r\n\tpromisor = true\n"},
	{"core", "askPass", ""},
	{"core", "pager", ""},
	{"core", "editor", ""},
	{"core", "alternateRefsCommand", ""},
	{"sequence", "editor", ""},
	{"diff", "external", ""},
	{"diff \"evil\"", "command", ""},
	{"diff \"evil\"", "textconv", ""},
	{"filter \"evil\"", "clean", "[filter \"evil\"]\n\trequired = true\n"},
	{"filter \"evil\"", "smudge", "[filter \"evil\"]\n\trequired = true\n"},
	{"filter \"evil\"", "process", "[filter \"evil\"]\n\trequired = true\n"},
	{"merge \"evil\"", "driver", ""},
	{"mergetool \"evil\"", "cmd", "[merge]\n\ttool = evil\n"},
	{"difftool \"evil\"", "cmd", "[diff]\n\ttool = evil\n"},
	{"guitool \"evil\"", "cmd", ""},
	{"gpg", "program", "[log]\n\tshowSignature = true\n"},
	{"gpg \"ssh\"", "program", "[gpg]\n\tformat = ssh\n[log]\n\tshowSignature = true\n"},
	{"gpg \"x509\"", "program", "[gpg]\n\tformat = x509\n[log]\n\tshowSignature = true\n"},
	{"gpg \"ssh\"", "defaultKeyCommand", "[gpg]\n\tformat = ssh\n[commit]\n\tgpgSign = true\n"},
	{"credential", "helper", "[remote \"origin\"]\n\turl = https://h/r\n\tpromisor = true\n"},
	{"credential \"https://h\"", "helper", ""},
	{"interactive", "diffFilter", ""},
	{"trailer \"fixes\"", "command", "[trailer \"fixes\"]\n\tkey = Fixes\n"},
	{"trailer \"fixes\"", "cmd", "[trailer \"fixes\"]\n\tkey = Fixes\n"},
	{"uploadpack", "packObjectsHook", ""},
	{"remote \"origin\"", "uploadpack", "[remote \"origin\"]\n\turl = ../sibling\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n"},
	{"remote \"origin\"", "receivepack", ""},
	{"sendemail", "sendmailCmd", ""},
	{"sendemail", "toCmd", ""},
	{"imap", "tunnel", ""},
	{"instaweb", "httpd", ""},
	{"man \"evil\"", "cmd", "[man]\n\tviewer = evil\n"},
	{"browser \"evil\"", "cmd", "[web]\n\tbrowser = evil\n"},
	{"tar \"evil\"", "command", ""},
	{"receive", "procReceiveRefs", ""},
	{"hook \"evil\"", "command", "[hook \"evil\"]\n\tevent = post-index-change\n"},
	{"agent", "apiKeyCommand", ""},
	{"agent", "testCommand", ""},
	{"agent", "verifyCmd", ""},
	{"agent", "editor", ""},
}

// commandTraps name programs in every place from which git takes one.
func commandTraps() []trap {
	var traps []trap
	for _, s := range commandSettings {
		name := strings.NewReplacer(` "`, ".", `"`, "").Replace(s.section) + "." + s.key
		traps = append(traps, trap{name: "command " + name, plant: func(t testing.TB, p *prey) {
			p.set(t, s.section, s.key, p.program(t, strings.NewReplacer("/", "_", ":", "_").Replace(name)))
			p.config(t, s.more)
			p.put(t, p.in(".git/info/attributes"), attributeText)
		}})
	}
	for _, verb := range []string{"config", "rev-parse", "log", "diff-index", "cat-file", "agent"} {
		traps = append(traps, trap{name: "alias and pager of " + verb, plant: func(t testing.TB, p *prey) {
			p.set(t, "alias", verb, "!"+p.program(t, "alias-"+verb))
			p.set(t, "pager", verb, p.program(t, "pager-"+verb))
		}})
	}
	return append(traps, placedCommandTraps()...)
}

// placedCommandTraps name the same programs in other places than .git/config.
func placedCommandTraps() []trap {
	driver := func(t testing.TB, p *prey, name string) string {
		t.Helper()
		return fmt.Sprintf("[filter \"evil\"]\n\tclean = %[1]s\n\tprocess = %[1]s\n\trequired = true\n[core]\n\tfsmonitor = %[1]s\n\tpager = %[1]s\n[diff]\n\texternal = %[1]s\n", p.program(t, name))
	}
	return []trap{
		{name: "filter with = in its name", plant: func(t testing.TB, p *prey) {
			p.set(t, `filter "a=b"`, "clean", p.program(t, "filter-equals"))
			p.put(t, p.in(".git/info/attributes"), "* filter=a=b\n")
		}},
		{name: "filter with dots and spaces", plant: func(t testing.TB, p *prey) {
			p.set(t, `filter "a.b c=d.clean"`, "clean", p.program(t, "filter-dots"))
			p.put(t, p.in(".gitattributes"), "* \"filter=a.b c=d.clean\"\n* filter=a.b\n")
		}},
		{name: "include", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/more"), driver(t, p, "include"))
			p.config(t, "[include]\n\tpath = more\n")
			p.put(t, p.in(".gitattributes"), attributeText)
		}},
		{name: "includeIf", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("tracked.config"), driver(t, p, "includeIf"))
			p.config(t, "[includeIf \"gitdir:**\"]\n\tpath = ../tracked.config\n[includeIf \"onbranch:main\"]\n\tpath = ../tracked.config\n[includeIf \"hasconfig:remote.*.url:**\"]\n\tpath = ../tracked.config\n")
			p.put(t, p.in(".gitattributes"), attributeText)
		}},
		{name: "config.worktree", plant: func(t testing.TB, p *prey) {
			p.config(t, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n")
			p.put(t, p.in(".git/config.worktree"), driver(t, p, "worktree-config"))
			p.put(t, p.in(".gitattributes"), attributeText)
		}},
		{name: "hooks", plant: plantHooks(".git/hooks")},
		{name: "core.hooksPath", plant: func(t testing.TB, p *prey) {
			plantHooks("evil-hooks")(t, p)
			p.set(t, "core", "hooksPath", "evil-hooks")
		}},
		{name: "submodule", plant: plantSubmodule},
		{name: "submodule with update command", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".gitmodules"), "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::"+p.program(t, "submodule-url")+"\n\tupdate = !"+p.program(t, "submodule-update")+"\n")
			p.config(t, "[submodule]\n\trecurse = true\n[diff]\n\tsubmodule = log\n")
			p.git(t, p.repo, "-c", "submodule.recurse=false", "add", ".gitmodules")
		}},
		{name: "ext remote that promises", plant: func(t testing.TB, p *prey) {
			p.config(t, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = evil\n[protocol]\n\tallow = always\n[remote \"evil\"]\n\turl = ext::"+p.program(t, "ext")+"\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n")
			lose(t, p, "HEAD~1:main.c")
		}},
		{name: "remote helper that promises", plant: func(t testing.TB, p *prey) {
			p.config(t, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = evil\n[remote \"evil\"]\n\tvcs = evil\n\turl = x\n\tpromisor = true\n[url \"ext::"+p.program(t, "insteadof")+" \"]\n\tinsteadOf = x\n")
			p.program(t, "git-remote-evil")
			p.env = append(p.env, "PATH="+filepath.Join(p.lair, "bin")+":"+os.Getenv("PATH"))
			lose(t, p, "HEAD~2:main.c")
		}},
		{name: "environment of a hook", plant: func(t testing.TB, p *prey) {
			evil := p.program(t, "environment")
			p.env = append(p.env, "GIT_EXTERNAL_DIFF="+evil, "GIT_SSH_COMMAND="+evil, "GIT_ASKPASS="+evil, "GIT_EDITOR="+evil, "GIT_PROXY_COMMAND="+evil,
				"GIT_DIFF_OPTS=-u0", "GIT_TRACE=1", "GIT_TRACE_CURL=1", "GIT_NO_LAZY_FETCH=0", "GIT_INDEX_FILE=.git/index", "GIT_DIR="+p.in(".git"))
		}},
	}
}

// hookNames are all hooks in git's manual.
var hookNames = strings.Fields("applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase " +
	"post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite " +
	"sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change")

func plantHooks(dir string) func(testing.TB, *prey) {
	return func(t testing.TB, p *prey) {
		t.Helper()
		for _, name := range hookNames {
			p.put(t, p.in(dir+"/"+name), "#!/bin/sh\ntouch '"+filepath.Join(p.lair, "marks", "hook-"+name)+"'\n")
			if err := os.Chmod(p.in(dir+"/"+name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// plantSubmodule adds a submodule with a hostile configuration.
func plantSubmodule(t testing.TB, p *prey) {
	t.Helper()
	p.git(t, p.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", p.sibling, "module")
	module := p.in(".git/modules/module")
	evil := p.program(t, "submodule")
	p.put(t, filepath.Join(module, "info", "attributes"), attributeText)
	text, err := os.ReadFile(filepath.Join(module, "config"))
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, filepath.Join(module, "config"), string(text)+"[core]\n\tfsmonitor = "+evil+"\n[filter \"evil\"]\n\tclean = "+evil+"\n\tprocess = "+evil+"\n")
	p.put(t, p.in("module/f"), "changed\n")
	p.put(t, p.in("module/untracked"), "new\n")
}

// lose deletes a loose object.
func lose(t testing.TB, p *prey, name string) {
	t.Helper()
	oid := strings.TrimSpace(p.exec(t, command{dir: p.sibling}, "git", "--git-dir", p.in(".git"), "-c", "extensions.partialClone=", "rev-parse", name).stdout)
	if len(oid) < 40 {
		t.Fatalf("%q is no object: %q", name, oid)
	}
	if err := os.Remove(p.in(".git/objects/" + oid[:2] + "/" + oid[2:])); err != nil {
		t.Fatal(err)
	}
}

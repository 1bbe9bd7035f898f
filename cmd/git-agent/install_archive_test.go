package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// release lays out what an archive of a release has, with a script in the place of the program,
// and returns the directory above it.
func release(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bin/git-agent": program, "share/man/man1/git-agent.1": "page", "share/doc/git-agent/LICENSE": "license",
	} {
		file := filepath.Join(dir, "git-agent-0.1.0", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(top, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "git-agent-0.1.0", "install.sh"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pack makes the archive of a release and returns its path.
func pack(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "git-agent_0.1.0_linux_amd64.tar.gz")
	if out, err := exec.Command(need(t, "tar"), "-C", dir, "-czf", file, "git-agent-0.1.0").CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	return file
}

// runs runs a script of a release or of the checkout, with settings of the environment.
func runs(t *testing.T, env []string, script string, args ...string) string {
	t.Helper()
	cmd := exec.Command(need(t, "sh"), append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	out, _ := cmd.CombinedOutput() // what it says tells how it ended
	return string(out)
}

const runsHere = "#!/bin/sh\necho git agent version 0.1.0\n"

// install.sh installs an archive without building anything, and so does the install.sh in one,
// which also uninstalls.
func TestInstallArchive(t *testing.T) {
	dir := release(t, runsHere)
	archive := pack(t, dir)
	for name, argv := range map[string][]string{
		"of the checkout": {filepath.Join(top, "install.sh"), archive},
		"of the archive":  {filepath.Join(dir, "git-agent-0.1.0", "install.sh")},
	} {
		prefix := filepath.Join(t.TempDir(), "a prefix")
		script, err := filepath.Abs(argv[0])
		if err != nil {
			t.Fatal(err)
		}
		env := []string{"PREFIX=" + prefix}
		said := runs(t, env, script, argv[1:]...)
		if got := strings.Join(filesBelow(t, prefix), " "); got != "bin/git-agent share/doc/git-agent/LICENSE share/man/man1/git-agent.1" {
			t.Errorf("%s: installed %s\n%s", name, got, said)
		}
		if !strings.HasPrefix(said, "installing git agent version 0.1.0 below "+prefix+"\n") || strings.Contains(said, "building") {
			t.Errorf("%s: said %s", name, said)
		}
		runs(t, env, filepath.Join(dir, "git-agent-0.1.0", "install.sh"), "--uninstall")
		if left := filesBelow(t, prefix); len(left) > 0 {
			t.Errorf("%s: left behind %q", name, left)
		}
	}
}

// An archive that cannot be installed leaves nothing, and the message says why.
func TestInstallBadArchive(t *testing.T) {
	script, err := filepath.Abs(filepath.Join(top, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := pack(t, release(t, "no program of this system"))
	good := pack(t, release(t, runsHere))
	wrong := pack(t, release(t, runsHere))
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for file, sum := range map[string][32]byte{good: sha256.Sum256(data), wrong: sha256.Sum256([]byte("other"))} {
		text := fmt.Sprintf("%x  other\n%x  %s\n", sha256.Sum256(nil), sum, filepath.Base(file))
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), "checksums.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.tar.gz")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{filepath.Join(t.TempDir(), "none"), "fatal: there is no file "},
		{empty, "fatal: " + empty + " is no archive of a release"},
		{script, "fatal: " + script + " is no archive of a release for this system\nhint: its name ends with _"},
		{foreign, "fatal: the program does not run on this system, which is "},
		{wrong, "fatal: " + wrong + " is not the file that " + filepath.Dir(wrong) + "/checksums.txt names\nhint: download both again\n"},
		{good, "compared with " + filepath.Dir(good) + "/checksums.txt\ninstalling "},
	} {
		prefix := filepath.Join(t.TempDir(), "prefix")
		said := runs(t, []string{"PREFIX=" + prefix}, script, c.file)
		_, err := os.Stat(prefix)
		if !strings.HasPrefix(said, c.want) || (err == nil) != (c.file == good) {
			t.Errorf("%s: said %s", c.file, said)
		}
	}
}

// What is in the way of an installation is not followed, and nothing is said to be installed that is not. An
// archive may have any name; tar takes a colon in one for another machine.
func TestInstallInTheWay(t *testing.T) {
	dir := release(t, runsHere)
	script, err := filepath.Abs(filepath.Join(top, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "host:git-agent.tar.gz")
	if err := os.Rename(pack(t, dir), archive); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	for _, name := range []string{"bin", "share", "apart/bin/git-agent"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(bin, "git-agent.new")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(need(t, "sh"), script, filepath.Base(archive))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PREFIX="+dir)
	out, err := cmd.CombinedOutput()
	text, _ := os.ReadFile(victim)
	if got, _ := os.ReadFile(filepath.Join(bin, "git-agent")); err != nil || string(got) != runsHere || string(text) != "mine" {
		t.Errorf("the program is %q, the file of a link %q; %v\n%s", got, text, err, out)
	}
	apart := filepath.Join(dir, "apart")
	if said := runs(t, []string{"PREFIX=" + apart}, script, archive); !strings.HasPrefix(said, "fatal: "+apart+"/bin/git-agent is in the way: it is a directory\n") {
		t.Errorf("said %s", said)
	}
}

// fakeGo is a go command whose caches are those of the environment, and whose build is quick.
const fakeGo = `#!/bin/sh
case "$1 $2" in
"env GOVERSION") echo go1.26.8 ;;
"env GOCACHE") echo "$GOCACHE" ;;
"env GOMODCACHE") echo "$GOMODCACHE" ;;
build*)
	mkdir -p "$GOCACHE/00" "$GOMODCACHE/modernc.org"
	while [ "$1" != -o ]; do shift; done
	mkdir -p "${2%/*}" && printf '#!/bin/sh\necho git agent version 0.1.0\n' >"$2" && chmod +x "$2"
esac
`

// Before a build, install.sh says how long it takes, what it needs and where that stays. Without
// a home the caches of go are temporary; without room nothing is begun.
func TestInstallAnnounces(t *testing.T) {
	dir := t.TempDir()
	temporary := filepath.Join(dir, "temporary")
	for name, text := range map[string]string{"bin/go": fakeGo, "full/df": "#!/bin/sh\necho Filesystem\necho / 9 9 2048 99% /\n", "temporary/.keep": ""} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs(filepath.Join(top, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + filepath.Join(dir, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	env := []string{path, "PREFIX=" + filepath.Join(dir, "p"), "TMPDIR=" + temporary, "GOCACHE=" + filepath.Join(dir, "cache"), "GOMODCACHE=" + filepath.Join(dir, "modules")}
	first := "105 MB are downloaded, and\n850 MB of disk are used in the caches of go, which the next build needs:\n  " + filepath.Join(dir, "cache") + " (go clean -cache removes it)\n"
	if said := runs(t, env, script); !strings.Contains(said, "\na first build takes one to four minutes, a later one seconds\n"+first) || !strings.Contains(said, "\nbuilt in ") {
		t.Errorf("the first build said %s", said)
	}
	if said := runs(t, env, script); strings.Contains(said, "105 MB") || !strings.Contains(said, "\nbuilt in ") {
		t.Errorf("the second build said %s", said)
	}
	homeless := append(env, "GOCACHE=off")
	if said := runs(t, homeless, script); !strings.Contains(said, "850 MB of disk are used below "+temporary) || !strings.Contains(said, " until the end\n") {
		t.Errorf("without a home it said %s", said)
	}
	if left := filesBelow(t, temporary); len(left) != 1 {
		t.Errorf("left in the temporary directory: %q", left)
	}
	full := append(env, "PATH="+filepath.Join(dir, "full")+string(filepath.ListSeparator)+strings.TrimPrefix(path, "PATH="))
	if said := runs(t, full, script); said != "fatal: "+filepath.Join(dir, "p")+" has 2 MB of free space, and 40 MB are needed\nhint: PREFIX=DIRECTORY ./install.sh uses another place\n" {
		t.Errorf("on a full disk it said %s", said)
	}
}

//go:build linux

package scorecard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// nobody is the user that root switches to for tests as an ordinary user.
const nobody = 65534

// A ground is the setting in which sandboxes are attacked: a home full of secrets, a
// repository, sockets and another process, all of one user.
type ground struct {
	t       *testing.T
	home    home
	uid     int
	dir     string // directory of all files; not in /tmp, which sandboxes replace
	out     string // directory that commands may write, besides their scratch directory
	program string
	self    string
	around  surrounding
	arrived chan string // data that arrived at sockets of the test
	without string      // kernel feature that is disabled
}

// secretFiles are files in which programs keep keys, histories and logins.
var secretFiles = strings.Fields(`
.ssh/id_ed25519 .aws/credentials .azure/token .kube/config .docker/config.json .netrc .git-credentials .gitconfig .npmrc .pypirc .env
.config/gh/hosts.yml .config/git/credentials .config/gcloud/credentials.db .config/rclone/rclone.conf .config/go/env .config/pip/pip.conf
.codex/auth.json .claude/.credentials.json .claude.json .gemini/oauth.json .cache/huggingface/token .subversion/auth/svn.simple/a
.mozilla/firefox/a/logins.json .config/google-chrome/Default/Cookies .local/share/keyrings/login.keyring .password-store/a.gpg .gnupg/secring.gpg
.bash_history .zsh_history .python_history .psql_history .pgpass .my.cnf .vault-token .terraform.d/credentials.json
.cargo/credentials.toml .cargo/config.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .gem/credentials .bundle/config
.nuget/NuGet/NuGet.Config .local/share/uv/credentials/a .hex/hex.config .pub-cache/credentials.json .dotnet/corefx/cryptography/x509stores/a
.local/state/git-agent/traces.db .cache/git-agent/cache.db Documents/letter project/.env project/.git/config`)

func newGround(t *testing.T, uid int) *ground {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "git-agent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := &ground{t: t, uid: uid, dir: dir, home: home(filepath.Join(dir, "home")), out: filepath.Join(dir, "out"), arrived: make(chan string, 10)}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g.program, g.self = g.copy(program, "git-agent"), g.copy(os.Args[0], "probes")
	g.around = surrounding{Home: string(g.home), Repo: filepath.Join(string(g.home), "project"), Outside: filepath.Join(dir, "outside"), Canary: "canary-of-the-sandbox", Secrets: secretFiles}
	g.write(filepath.Join(g.around.Outside, "canary"), "untouched")
	g.write(filepath.Join(g.out, "begun"), "")
	g.layRepository()
	for _, rel := range secretFiles {
		path := filepath.Join(string(g.home), rel)
		old, _ := os.ReadFile(path) // git's configuration files must stay valid
		g.write(path, string(old)+"# "+g.around.Canary+"\n")
	}
	g.listen()
	if uid != os.Getuid() {
		filepath.Walk(dir, func(path string, _ os.FileInfo, _ error) error { return os.Lchown(path, uid, uid) })
	}
	g.startVictim()
	return g
}

func (g *ground) write(path, text string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) copy(from, name string) string {
	g.t.Helper()
	to := filepath.Join(g.dir, "bin", name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if os.Link(from, to) == nil && g.uid == os.Getuid() {
		return to
	}
	os.Remove(to)
	in, err := os.Open(from)
	if err != nil {
		g.t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		g.t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		g.t.Fatal(err)
	}
	return to
}

// layRepository creates a repository with a bug and its fix. Its configuration requests
// no sandbox.
func (g *ground) layRepository() {
	if err := os.MkdirAll(g.around.Repo, 0o700); err != nil {
		g.t.Fatal(err)
	}
	g.write(filepath.Join(string(g.home), ".gitconfig"), fmt.Sprintf("[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada\n\temail = ada@example.com\n[safe]\n\tdirectory = *\n[agent]\n\tsandboxRead = %s\n\tsandboxWrite = %s\n", filepath.Dir(g.self), g.out))
	g.home.git(g.t, g.around.Repo, "init", "-q")
	for _, n := range []string{"1", "2", "3"} {
		g.write(filepath.Join(g.around.Repo, "a.c"), "int a = "+n+";\n")
		g.home.git(g.t, g.around.Repo, "add", "a.c")
		g.home.git(g.t, g.around.Repo, "commit", "-q", "-m", "a is "+n)
	}
	for _, kv := range [][2]string{{"agent.sandbox", "none"}, {"agent.sandboxRead", filepath.Join(string(g.home), ".ssh")}, {"agent.sandboxWrite", g.around.Outside}} {
		g.home.git(g.t, g.around.Repo, "config", kv[0], kv[1])
	}
}

// listen opens the sockets that a command must not be able to reach.
func (g *ground) listen() {
	serve := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { l.Close() })
		return l
	}
	tmp, err := os.MkdirTemp("/tmp", "git-agent-")
	if err != nil {
		g.t.Fatal(err)
	}
	os.Chmod(tmp, 0o755)
	g.t.Cleanup(func() { os.RemoveAll(tmp) })
	for _, path := range []string{filepath.Join(string(g.home), ".docker/docker.sock"), filepath.Join(g.dir, "var.sock"), filepath.Join(tmp, "tmp.sock")} {
		serve("unix", path)
		os.Chmod(path, 0o777)
		g.around.Sockets = append(g.around.Sockets, path)
	}
	g.around.Abstract = "@git-agent-scorecard-" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(g.uid)
	serve("unix", g.around.Abstract)
	g.around.TCP = serve("tcp", "127.0.0.1:0").Addr().String()
	g.around.Datagram = filepath.Join(g.dir, "log.sock")
	for network, address := range map[string]*string{"unixgram": &g.around.Datagram, "udp": &g.around.UDP} {
		at := *address
		if network == "udp" {
			at = "127.0.0.1:0"
		}
		c, err := net.ListenPacket(network, at)
		if err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { c.Close() })
		*address = c.LocalAddr().String()
		os.Chmod(g.around.Datagram, 0o777)
		go func() {
			b := make([]byte, 100)
			if n, _, err := c.ReadFrom(b); err == nil {
				g.arrived <- network + ": " + string(b[:n])
			}
		}()
	}
}

// startVictim starts another process of the user, with a key in its environment and
// with shared memory.
func (g *ground) startVictim() {
	cmd := exec.Command("sleep", "100000")
	cmd.Dir, cmd.Env = g.around.Outside, []string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=key-" + g.around.Canary}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: 0}
	if g.uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(g.uid), Gid: uint32(g.uid)}
	}
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	g.around.Victim = cmd.Process.Pid
	var err error
	if g.around.Shm, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o666); err != nil {
		g.around.Shm = -1
		return
	}
	g.t.Cleanup(func() { unix.SysvShmCtl(g.around.Shm, unix.IPC_RMID, nil) })
}

// as returns the command line that runs a program as the user of the ground.
func (g *ground) as(argv ...string) []string {
	if g.uid == os.Getuid() {
		return argv
	}
	id := strconv.Itoa(g.uid)
	return append([]string{"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"}, argv...)
}

// verify runs szz with --verify-cmd as the user.
func (g *ground) verify(env []string, command_ string, args ...string) outcome {
	g.t.Helper()
	argv := append(g.withDescriptors("szz", "--algorithm=b", "--no-cache", "--verify-cmd="+command_), args...)
	return g.home.exec(g.t, command{dir: g.around.Repo, env: append([]string{"OPENAI_API_KEY=key-" + g.around.Canary}, env...)}, g.as(argv...)...)
}

// withDescriptors starts the program with an additional open descriptor of a directory,
// as build systems and editors do.
func (g *ground) withDescriptors(args ...string) []string {
	argv := []string{"sh", "-c", `exec 7</ && exec "$@"`, "sh"}
	if g.without != "" {
		argv = append(argv, g.self, g.without)
	}
	return append(append(argv, g.program), args...)
}

// users returns the accounts as which the probes run.
func users(t *testing.T) map[string]int {
	if os.Getuid() != 0 {
		return map[string]int{"user": os.Getuid()}
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Log("setpriv is not installed: not tried as a user")
		return map[string]int{"root": 0}
	}
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if err := try.Run(); err != nil {
		t.Logf("not tried as a user: other users start no program on this machine, whose / may be closed to them: %v", err)
		return map[string]int{"root": 0}
	}
	return map[string]int{"root": 0, "user": nobody}
}

// The probes run at each sandbox level that works here, as root and as an ordinary user.
func TestSandboxProbes(t *testing.T) {
	for who, uid := range users(t) {
		for _, level := range []string{"bwrap", "landlock", bareLandlock, "none"} {
			t.Run(who+"/"+level, func(t *testing.T) { probeSandbox(t, who, level, uid) })
		}
	}
}

// bareLandlock is level landlock without namespaces, as in most containers.
const bareLandlock = "landlock without namespaces"

func probeSandbox(t *testing.T, who, level string, uid int) {
	g := newGround(t, uid)
	g.around.Level = level
	config := filepath.Join(g.out, "config")
	text, err := json.Marshal(g.around)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, text, 0o644); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(g.out, "results")
	if level == bareLandlock {
		g.without = withoutNamespaces
	}
	asked, _, _ := strings.Cut(level, " ")
	got := g.verify(nil, fmt.Sprintf("%s %s %s >%s 2>%s.err; exit 1", g.self, probeMark, config, results, results), "--sandbox="+asked)
	found, _ := os.ReadFile(results)
	if len(found) == 0 {
		errs, _ := os.ReadFile(results + ".err")
		if strings.Contains(got.stderr, "does not work on this system") {
			skipped(t, sandboxes, who+" at "+level, got.stderr)
			return
		}
		t.Fatalf("the probes did not run: exit %d\n%s%s%s", got.code, got.stdout, got.stderr, errs)
	}
	tried := map[string]bool{}
	for line := range bytes.Lines(found) {
		var p probed
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		tried[p.Name] = true
		vector := fmt.Sprintf("%s at %s: %s", who, level, p.Name)
		if p.Reached != "" {
			broke(t, sandboxes, vector, "%s", p.Reached)
			continue
		}
		held(sandboxes)
	}
	for _, p := range allProbes(g.around) {
		if !tried[p.name] {
			skipped(t, sandboxes, fmt.Sprintf("%s at %s: %s", who, level, p.name), "this level does not promise it")
		}
	}
	if level != "none" {
		g.lookAfter(who + " at " + level)
	}
}

// lookAfter checks whether the probes changed anything outside.
func (g *ground) lookAfter(where string) {
	g.t.Helper()
	check := func(what string, bad bool, why any) {
		if bad {
			broke(g.t, sandboxes, where+": "+what, "%v", why)
			return
		}
		held(sandboxes)
	}
	entries, _ := os.ReadDir(g.around.Outside)
	check("files outside", len(entries) != 1 || entries[0].Name() != "canary", entries)
	text, err := os.ReadFile(filepath.Join(g.around.Outside, "canary"))
	check("content outside", string(text) != "untouched", err)
	for _, rel := range []string{".bashrc", "project/planted", "project/.git/hooks/post-checkout", "project/.git/objects/info/alternates"} {
		_, err = os.Stat(filepath.Join(string(g.home), rel))
		check(rel, err == nil, "it was written")
	}
	check("another process", unix.Kill(g.around.Victim, 0) != nil, "it is gone")
	for _, path := range []string{"/usr/git-agent-probe", "/etc/git-agent-probe"} {
		_, err := os.Lstat(path)
		check(path, err == nil, "it was written")
	}
	select {
	case what := <-g.arrived:
		check("datagrams", true, what)
	default:
		check("datagrams", false, nil)
	}
}

// waitGone waits until the process whose pid is in a file has ended, and reports whether
// it has. Only a surviving process reaches the limit.
func waitGone(file string) bool {
	text, err := os.ReadFile(file)
	pid, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || bad != nil {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err == unix.ESRCH
	}
	defer unix.Close(fd)
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20_000)
	if n != 1 {
		unix.Kill(pid, unix.SIGKILL)
	}
	return n == 1
}

// leftovers are ways to outlive the command. Without a pid namespace, each writes its
// pid to $P.
var leftovers = map[string]string{
	"setsid":             `setsid sh -c 'echo $$ >$P; exec sleep 100000' & while ! test -s $P; do :; done`,
	"double fork":        `(setsid sh -c '(sh -c "echo \$\$ >$P; exec sleep 100000" &)' &); while ! test -s $P; do :; done`,
	"ignores signals":    `setsid sh -c 'trap "" TERM HUP INT; echo $$ >$P; while :; do sleep 1000; done' & while ! test -s $P; do :; done`,
	"holds the output":   `setsid sh -c 'echo $$ >$P; sleep 100000' 2>&1 & while ! test -s $P; do :; done`,
	"kills its parent":   `setsid sh -c 'echo $$ >$P; exec sleep 100000' & while ! test -s $P; do :; done; kill -9 $$`,
	"outlasts its limit": `setsid sh -c 'echo $$ >$P; exec sleep 100000' & exec sleep 100000`,
	"nohup":              `nohup sh -c 'echo $$ >$P; exec sleep 100000' >/dev/null 2>&1 & while ! test -s $P; do :; done`,
}

// Processes that a command leaves running end with it.
func TestSandboxLeavesNothing(t *testing.T) {
	for who, uid := range users(t) {
		g := newGround(t, uid)
		for _, level := range []string{"bwrap", "landlock", "none"} {
			for _, name := range sample(slices.Sorted(maps.Keys(leftovers)), 3) {
				script := leftovers[name]
				file := filepath.Join(g.out, "pid-"+level)
				os.Remove(file)
				got := g.verify(nil, "P="+file+"; export P; "+script+"; exit 1", "--sandbox="+level, "--verify-timeout=3s")
				text, err := os.ReadFile(file)
				vector := fmt.Sprintf("%s at %s: a process that %s", who, level, name)
				switch {
				case strings.Contains(got.stderr, "does not work on this system"):
					skipped(t, sandboxes, vector, got.stderr)
				case got.late:
					broke(t, sandboxes, vector, "the command did not end")
				case err != nil || len(text) == 0:
					broke(t, sandboxes, vector, "it never ran: %v; exit %d, %s", err, got.code, got.stderr)
				case level == "bwrap" && anyProcessIn(g.dir):
					broke(t, sandboxes, vector, "it lives")
				case level != "bwrap" && !waitGone(file):
					broke(t, sandboxes, vector, "it lives")
				default:
					held(sandboxes)
				}
			}
		}
	}
}

// anyProcessIn reports whether the environment of a process other than the victim names
// files of the ground.
func anyProcessIn(dir string) bool {
	deadline := time.Now().Add(20 * time.Second)
	for found := true; found; {
		found = false
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), "P="+dir) {
				found = true
			}
		}
		if found && time.Now().After(deadline) {
			return true
		}
	}
	return false
}

// A killed git-agent leaves no process running, and does not wait for a command whose
// output never ends.
func TestSandboxEndsWithTheProgram(t *testing.T) {
	for who, uid := range users(t) {
		g := newGround(t, uid)
		for _, level := range []string{"bwrap", "landlock", "none"} {
			for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "interrupted": syscall.SIGINT} {
				vector := fmt.Sprintf("%s at %s: git-agent is %s", who, level, name)
				if why := g.endProgram(level, sig); why != "" {
					broke(t, sandboxes, vector, "%s", why)
				} else {
					held(sandboxes)
				}
			}
			size := 50_000_000
			if *full {
				size *= 20
			}
			got := g.verify(nil, fmt.Sprintf("yes | head -c %d; exit 1", size), "--sandbox="+level)
			vector := fmt.Sprintf("%s at %s: %d bytes of output", who, level, size)
			if got.late || got.peak > 500<<20 || got.code != 0 {
				broke(t, sandboxes, vector, "exit %d, peak %d MB: %s", got.code, got.peak>>20, got.stderr)
			} else {
				held(sandboxes)
			}
		}
	}
}

// endProgram sends a signal to a git-agent whose command is running, and returns what is
// left.
func (g *ground) endProgram(level string, sig syscall.Signal) string {
	g.t.Helper()
	file, fifo := filepath.Join(g.out, "pid"), filepath.Join(g.out, "fifo")
	os.Remove(file)
	os.Remove(fifo)
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		g.t.Fatal(err)
	}
	os.Chmod(fifo, 0o666)
	script := fmt.Sprintf("P=%s; export P; setsid sh -c 'echo $$ >$P; echo begun >%s; exec sleep 100000' & wait; sleep 100000", file, fifo)
	argv := g.as(g.program, "szz", "--algorithm=b", "--no-cache", "--sandbox="+level, "--verify-cmd="+script)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = g.around.Repo, g.home.environ()
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	f, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}, 30_000); n != 1 {
		cmd.Process.Kill()
		cmd.Wait()
		return "the command did not begin"
	}
	cmd.Process.Signal(sig)
	cmd.Wait()
	if level == "bwrap" && anyProcessIn(g.dir) || level != "bwrap" && !waitGone(file) {
		return "the command lives on"
	}
	return ""
}

// Without a working sandbox no command runs. With one, the program says which it uses.
func TestSandboxFailsClosed(t *testing.T) {
	g := newGround(t, os.Getuid())
	ran := filepath.Join(g.out, "ran")
	command := "touch " + ran + "; exit 1"
	bare := g.path(nil) // PATH without bwrap
	cheat := g.path(map[string]string{"bwrap": "#!/bin/sh\nwhile [ \"$1\" != --chdir ]; do shift; done\ncd \"$2\"; shift 2\nexec \"$@\"\n"})
	for _, v := range []struct {
		name, path string
		args       []string
		runs       bool
		stderr     string
	}{
		{"bwrap is asked for and absent", bare, []string{"--sandbox=bwrap"}, false, "bubblewrap is not installed"},
		{"auto without bwrap takes landlock", bare, nil, true, "sandbox: landlock"},
		{"a bwrap that confines nothing", cheat, []string{"--sandbox=bwrap"}, false, "self-test failed"},
		{"auto past a bwrap that confines nothing", cheat, nil, true, "sandbox: landlock"},
		{"auto where neither works", "no landlock", nil, false, "nothing confines commands on this system"},
		{"auto where neither works, for a program", "no landlock", []string{"--format=%H"}, false, "nothing confines commands on this system"},
		{"none that was asked for", bare, []string{"--sandbox=none"}, true, "your rights"},
		{"auto with a form for programs", os.Getenv("PATH"), []string{"--format=%H"}, true, "sandbox: "},
		{"a repository that asks for none", os.Getenv("PATH"), nil, true, "agent.sandbox (local) is ignored"},
		{"a repository that asks for more to read", os.Getenv("PATH"), nil, true, "agent.sandboxRead (local) is ignored"},
		{"a repository that asks for more to write", os.Getenv("PATH"), nil, true, "agent.sandboxWrite (local) is ignored"},
	} {
		os.Remove(ran)
		got := g.confinedBy(v.path, bare, command, v.args)
		_, err := os.Stat(ran)
		switch {
		case (err == nil) != v.runs:
			broke(t, sandboxes, v.name, "the command ran: %t; exit %d, %s", err == nil, got.code, got.stderr)
		case !strings.Contains(got.stderr, v.stderr):
			broke(t, sandboxes, v.name, "stderr does not say %q: %s", v.stderr, got.stderr)
		default:
			held(sandboxes)
		}
	}
}

// path creates a directory with links to the required and the given programs.
func (g *ground) path(others map[string]string) string {
	g.t.Helper()
	dir, err := os.MkdirTemp(g.dir, "path-")
	if err != nil {
		g.t.Fatal(err)
	}
	for _, name := range strings.Fields("git sh touch sleep setpriv") {
		if found, err := exec.LookPath(name); err == nil {
			os.Symlink(found, filepath.Join(dir, name))
		}
	}
	for name, text := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			g.t.Fatal(err)
		}
	}
	return dir
}

// confinedBy runs szz with the given PATH, or on a kernel without landlock.
func (g *ground) confinedBy(path, bare, command_ string, args []string) outcome {
	if path != "no landlock" {
		return g.verify([]string{"PATH=" + path}, command_, args...)
	}
	g.without = withoutLandlock
	defer func() { g.without = "" }()
	return g.verify([]string{"PATH=" + bare}, command_, args...)
}

// These are first arguments of the test binary. They make it disable a kernel feature
// and then execute another program.
const (
	withoutLandlock   = "without-landlock"
	withoutNamespaces = "without-namespaces"
)

func init() {
	if len(os.Args) < 3 || os.Args[1] != withoutLandlock && os.Args[1] != withoutNamespaces {
		return
	}
	refuse := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		refuse,
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if os.Args[1] == withoutNamespaces {
		filter = []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE, Jf: 3},
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16},
			{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1},
			refuse,
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
	}
	if err := setThreadFilter(filter); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
	os.Exit(2)
}

//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileTraps replace files: by links, by attributes, and by git directories that lead
// elsewhere.
func fileTraps() []trap {
	traps := []trap{
		{name: "attributes of the tree", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".gitattributes"), "*.c -diff binary filter=lfs ident working-tree-encoding=UTF-16 eol=crlf\n[attr]evil filter=x\n* evil !diff\n")
		}},
		{name: "attributes without end", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".gitattributes"), strings.Repeat("**/**/**/*a*b*c*d* text\n", 20_000))
		}},
		{name: "attributes of git itself linked to a secret", plant: func(t testing.TB, p *prey) {
			p.link(t, ".git/info/attributes", filepath.Join(string(p.home), ".netrc"))
		}},
		{name: "attributes of the tree linked to a secret", plant: func(t testing.TB, p *prey) {
			p.link(t, ".gitattributes", filepath.Join(string(p.home), ".netrc"))
		}},
		{name: "link in the work tree in the place of a file", plant: func(t testing.TB, p *prey) {
			p.link(t, "main.c", filepath.Join(string(p.home), ".netrc"))
		}},
		{name: "link in the work tree in the place of a directory", plant: func(t testing.TB, p *prey) {
			p.put(t, filepath.Join(string(p.home), "other.c"), secretText+"\n")
			p.link(t, "sub", string(p.home))
		}},
		{name: "linked git directory", plant: func(t testing.TB, p *prey) {
			if err := os.Rename(p.in(".git"), p.in("elsewhere")); err != nil {
				t.Fatal(err)
			}
			p.link(t, ".git", "elsewhere")
		}},
		{name: ".git file to another repository", plant: func(t testing.TB, p *prey) {
			if err := os.RemoveAll(p.in(".git")); err != nil {
				t.Fatal(err)
			}
			p.put(t, p.in(".git"), "gitdir: nowhere\x1b[31m\n")
		}},
		{name: ".git file without end", plant: func(t testing.TB, p *prey) {
			if err := os.RemoveAll(p.in(".git")); err != nil {
				t.Fatal(err)
			}
			p.put(t, p.in(".git"), "gitdir: "+strings.Repeat("a/", 1<<20))
		}},
		{name: ".git file that is a link to a secret", plant: func(t testing.TB, p *prey) {
			if err := os.RemoveAll(p.in(".git")); err != nil {
				t.Fatal(err)
			}
			p.link(t, ".git", filepath.Join(string(p.home), ".netrc"))
		}},
		{name: "common directory elsewhere", plant: func(t testing.TB, p *prey) { p.put(t, p.in(".git/commondir"), p.in("nowhere")+"\n") }},
		{name: "alternates to devices", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/objects/info/alternates"), "/dev/zero\n/dev/stdin\n/proc/self/fd\n../../../..\n")
		}},
		{name: "alternates in a circle", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/objects/info/alternates"), strings.Repeat(p.in(".git/objects")+"\n", 1000))
		}},
		{name: "alternates with an escape", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/objects/info/alternates"), "\"/x\\033[31m\"\n/\x1b]0;evil\x07\n")
		}},
		{name: "grafts", plant: func(t testing.TB, p *prey) {
			head := strings.TrimSpace(p.git(t, p.repo, "rev-parse", "HEAD"))
			p.put(t, p.in(".git/info/grafts"), head+"\n"+head+" "+head+"\n")
		}},
		{name: "replace refs", plant: func(t testing.TB, p *prey) {
			p.git(t, p.repo, "replace", "HEAD", "HEAD~2")
			p.git(t, p.repo, "replace", "HEAD~1:main.c", "HEAD:sub/other.c")
		}},
		{name: "a damaged index", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/index"), "DIRC\x00\x00\x00\x02\xff\xff\xff\xff"+strings.Repeat("\x00", 4096))
		}},
		{name: "a split index without its base", plant: func(t testing.TB, p *prey) {
			p.git(t, p.repo, "update-index", "--split-index")
			shared, err := filepath.Glob(p.in(".git/sharedindex.*"))
			if err != nil || shared == nil {
				t.Fatal(err, shared)
			}
			p.link(t, ".git/"+filepath.Base(shared[0]), filepath.Join(string(p.home), ".netrc"))
		}},
		{name: "files of another owner's kind in refs", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".git/refs/heads/x\x1b[31m"), strings.Repeat("0", 40)+"\n")
			p.put(t, p.in(".git/refs/heads/-option"), "ref: refs/heads/-option\n")
			p.put(t, p.in(".git/refs/heads/broken"), secretText[:3]+"\n")
		}},
		{name: "a branch like an option", plant: func(t testing.TB, p *prey) {
			head := p.git(t, p.repo, "rev-parse", "HEAD")
			p.put(t, p.in(".git/refs/heads/--output=PWNED"), head)
			p.put(t, p.in(".git/HEAD"), "ref: refs/heads/--output=PWNED\n")
		}},
		{name: "a planted journal of a patch", plant: func(t testing.TB, p *prey) {
			backup := strings.TrimSpace(p.git(t, p.repo, "commit-tree", "-p", "HEAD", "-p", "HEAD~1", "-m", "backup", "HEAD^{tree}"))
			p.git(t, p.repo, "update-ref", "refs/agent/backup/x", backup)
			p.put(t, filepath.Join(p.sibling, ".git/victim.lock"), "")
			p.put(t, p.in(".git/git-agent-delivery"), `{"Name":"x","Target":"index","Branch":"../../../../sibling/.git/victim","Began":"2020-01-01T00:00:00Z","Files":[{"Path":"bWFpbi5j","Perm":420}]}`)
		}},
		{name: "ten thousand refs", plant: func(t testing.TB, p *prey) {
			head := strings.TrimSpace(p.git(t, p.repo, "rev-parse", "HEAD"))
			var b strings.Builder
			b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
			for i := range 10_000 {
				fmt.Fprintf(&b, "%s refs/heads/b%05d\n", head, i)
			}
			p.put(t, p.in(".git/packed-refs"), b.String())
		}},
	}
	for _, name := range []string{"HEAD", "config", "packed-refs", "shallow", "index", "refs/heads/main", "commondir", "objects/info/alternates", "objects/info/commit-graph", "info/grafts"} {
		traps = append(traps, trap{name: "link to a secret: " + name, plant: func(t testing.TB, p *prey) {
			p.link(t, ".git/"+name, filepath.Join(string(p.home), ".netrc"))
		}})
	}
	return traps
}

// pipeTraps replace files by named pipes and devices.
func pipeTraps() []trap {
	var traps []trap
	for _, name := range []string{
		".git/config", ".git/HEAD", ".git/packed-refs", ".git/index", ".git/shallow", ".git/commondir", ".git/refs/heads/main", ".git/info/attributes",
		".git/info/grafts", ".git/objects/info/alternates", ".git/objects/info/commit-graph", ".gitattributes", "main.c", "sub/.gitattributes",
		".git/agent", ".git/agent/cache.db", ".git/agent/shadow.git/config",
	} {
		traps = append(traps, trap{name: "pipe: " + name, slow: true, plant: func(t testing.TB, p *prey) { p.pipe(t, name) }})
	}
	for _, name := range []string{".git/config", ".git/HEAD", ".git/shallow", ".git/index", ".git/packed-refs", ".gitattributes", "main.c"} {
		traps = append(traps, trap{name: "endless device: " + name, slow: true, plant: func(t testing.TB, p *prey) { p.link(t, name, "/dev/zero") }})
	}
	return traps
}

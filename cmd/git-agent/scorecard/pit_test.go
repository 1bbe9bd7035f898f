//go:build linux

package scorecard

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A pit is a repository in which a bomb is placed. Its history is: "start", which
// writes a.c; the commits of the bomb; and at HEAD a fix of one line of a.c. The test
// writes objects itself, because git would reject many of them and is slow.
type pit struct {
	t          *testing.T
	home       home
	dir        string
	stdin      string // standard input of the program
	start, fix string // ids of commits

	z *zlib.Writer // one for all objects, because a new one clears a megabyte
}

func newPit(t *testing.T) *pit {
	t.Helper()
	p := &pit{t: t, home: newHome(t), dir: filepath.Join(t.TempDir(), "bomb", "repo")}
	p.home.git(t, "/", "init", "-q", "--object-format=sha1", p.dir)
	p.home.git(t, "/", "config", "--global", "agent.gitMemory", fmt.Sprint(gitMemory))
	p.start = p.commit("start", p.source(0))
	return p
}

// object writes a loose object.
func (p *pit) object(kind, content string) string {
	return p.loose(fmt.Sprintf("%s %d\x00", kind, len(content)), strings.NewReader(content))
}

// loose writes a loose object with an arbitrary header.
func (p *pit) loose(header string, content io.Reader) string {
	p.t.Helper()
	file, err := os.CreateTemp(filepath.Join(p.dir, ".git", "objects"), "tmp")
	if err != nil {
		p.t.Fatal(err)
	}
	if p.z == nil {
		p.z = zlib.NewWriter(nil)
	}
	sum, z := sha1.New(), p.z
	z.Reset(file)
	_, err = io.Copy(io.MultiWriter(sum, z), io.MultiReader(strings.NewReader(header), content))
	z.Close()
	file.Close()
	oid := hex.EncodeToString(sum.Sum(nil))
	name := filepath.Join(p.dir, ".git", "objects", oid[:2], oid[2:])
	os.MkdirAll(filepath.Dir(name), 0o700) // if this fails, Rename reports it
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return oid
}

// tree writes a tree from lines "mode kind oid\tname", in git's order.
func (p *pit) tree(lines string) string {
	p.t.Helper()
	entries := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	key := func(line string) string {
		meta, name, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(meta, "040000") {
			name += "/"
		}
		return name
	}
	slices.SortFunc(entries, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, line := range entries {
		meta, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		raw, err := hex.DecodeString(f[2])
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", strings.TrimPrefix(f[0], "0"), name, raw)
	}
	return p.object("tree", b.String())
}

// source returns the tree entry of a version of a.c.
func (p *pit) source(version int) string {
	text := fmt.Sprintf("int compute_total(int a_value)\n{\n\treturn a_value / %d;\n}\n", version)
	return "100644 blob " + p.object("blob", text) + "\ta.c\n"
}

// commit writes a commit whose parent is the current fix, and makes it the fix.
func (p *pit) commit(message, tree string) string {
	p.t.Helper()
	parents := ""
	if p.fix != "" {
		parents = "parent " + p.fix + "\n"
	}
	p.fix = p.rawCommit(p.tree(tree), parents, "A U Thor <a@example.com> 1700000000 +0000", "", message)
	return p.fix
}

func (p *pit) rawCommit(tree, parents, author, more, message string) string {
	return p.object("commit", "tree "+tree+"\n"+parents+"author "+author+"\ncommitter "+author+"\n"+more+"\n"+message+"\n")
}

// lyingCommit writes a commit object whose header has a wrong size.
func (p *pit) lyingCommit(parent string) string {
	content := "tree " + p.tree(p.source(7)) + "\nparent " + parent + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nlie\n"
	return p.loose("commit 99999999999\x00", strings.NewReader(content))
}

// point sets HEAD to a commit.
func (p *pit) point(oid string) { p.write(".git/HEAD", oid+"\n") }

// write writes a file in the repository's directory.
func (p *pit) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// finish adds entries in a separate commit and then commits the fix.
func (p *pit) finish(entries string) {
	p.t.Helper()
	p.commit("what the bomb adds", p.source(0)+entries)
	p.commit("fix compute_total", p.source(1)+entries)
	p.point(p.fix)
}

// within adds entries in the fix itself, in place of others.
func (p *pit) within(before, after string) {
	p.t.Helper()
	p.commit("what the bomb changes", p.source(0)+before)
	p.commit("fix compute_total", p.source(1)+after)
	p.point(p.fix)
}

// repeat returns n different lines.
func repeat(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line+"\n", i)
	}
	return b.String()
}

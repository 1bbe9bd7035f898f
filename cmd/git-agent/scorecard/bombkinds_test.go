//go:build linux

package scorecard

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A bomb is a small repository that costs a lot of time or memory to read.
type bomb struct {
	name string
	arm  func(p *pit)
}

// size returns the size of a bomb, which is smaller in a sample run.
func size(fullSize, sampleSize int) int {
	if *full {
		return fullSize
	}
	return sampleSize
}

// zeros returns a reader of n zero bytes, which compress to almost nothing.
func zeros(n int) io.Reader { return io.LimitReader(zeroReader{}, int64(n)) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// nested writes trees of the given number of levels and returns the top one. Each
// tree contains the one below it the given number of times.
func (p *pit) nested(levels, each int) string {
	oid, mode, name := p.object("blob", "x\n"), "100644 blob", "f"
	for range levels {
		var b strings.Builder
		for i := range each {
			fmt.Fprintf(&b, "%s %s\t%s%d\n", mode, oid, name, i)
		}
		oid, mode, name = p.tree(b.String()), "040000 tree", "d"
	}
	return oid
}

// deep writes a file in the given number of nested folders and returns the top tree.
func (p *pit) deep(levels int, name string) string {
	oid, mode := p.object("blob", "x\n"), "100644 blob"
	for range levels {
		oid, mode = p.tree(mode+" "+oid+"\t"+name+"\n"), "040000 tree"
	}
	return oid
}

// blobs writes n files with the given texts and returns their tree entries. Their
// names are a prefix and a number.
func (p *pit) blobs(prefix string, n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "100644 blob %s\t%s%06d.c\n", p.object("blob", text(i)), prefix, i)
	}
	return b.String()
}

func (p *pit) bigBlob(n int) string {
	return "100644 blob " + p.loose(fmt.Sprintf("blob %d\x00", n), zeros(n)) + "\tb.c\n"
}

func (p *pit) file(name, text string) string {
	return "100644 blob " + p.object("blob", text) + "\t" + name + "\n"
}

// chain adds n commits before the fix, each with its own a.c.
func (p *pit) chain(n int, source func(i int) string) {
	for i := range n {
		p.commit(fmt.Sprint("change compute_total ", i), p.file("a.c", source(i)))
	}
	p.finish("")
}

// merge adds a commit with n parents before the fix.
func (p *pit) merge(n int) {
	tree := p.tree(p.source(0))
	var parents strings.Builder
	for i := range n {
		side := p.rawCommit(tree, "parent "+p.start+"\n", "A <a@b> 1700000000 +0000", "", fmt.Sprint("side ", i))
		parents.WriteString("parent " + side + "\n")
	}
	p.fix = p.rawCommit(tree, parents.String(), "A <a@b> 1700000000 +0000", "", "merge")
	p.finish("")
}

// odd adds n commits with unusual headers or messages before the fix.
func (p *pit) odd(n int, author, more, message string) {
	tree := p.tree(p.source(0))
	for i := range n {
		p.fix = p.rawCommit(tree, "parent "+p.fix+"\n", author, more, fmt.Sprint(i, " ", message))
	}
	p.finish("")
}

// lied adds an object with a false size to the tree or the history.
func lied(kind string) func(p *pit) {
	return func(p *pit) {
		switch kind {
		case "blob":
			p.finish("100644 blob " + p.loose("blob 99999999999\x00", strings.NewReader("x\n")) + "\tb.c\n")
		case "tree":
			p.finish("040000 tree " + p.loose("tree 99999999999\x00", strings.NewReader("x\n")) + "\tb\n")
		case "commit":
			p.fix = p.lyingCommit(p.fix)
			p.finish("")
		}
	}
}

// damaged packs all objects and damages one of the files that git made.
func damaged(pattern string, more ...string) func(p *pit) {
	return func(p *pit) {
		p.finish(p.blobs("f", 20, func(i int) string { return fmt.Sprint(i) }))
		p.home.git(p.t, p.dir, "update-ref", "refs/heads/main", p.fix)
		p.home.git(p.t, p.dir, "symbolic-ref", "HEAD", "refs/heads/main")
		p.home.git(p.t, p.dir, "repack", "-adq")
		if len(more) > 0 {
			p.home.git(p.t, p.dir, more...)
		}
		found, _ := filepath.Glob(filepath.Join(p.dir, ".git", "objects", pattern))
		if len(found) != 1 {
			p.t.Fatalf("%q is %q", pattern, found)
		}
		os.Chmod(found[0], 0o600) // if this fails, WriteFile reports it
		text, err := os.ReadFile(found[0])
		if err == nil {
			for i := len(text) / 4; i < len(text)/2; i++ {
				text[i] ^= 0xff
			}
			err = os.WriteFile(found[0], text, 0o600)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// bombs are all bombs. A sample run takes some of them, evenly spread.
var bombs = []bomb{
	{"tree bomb beside the fix", func(p *pit) { p.finish("040000 tree " + p.nested(10, 10) + "\tbomb\n") }},
	{"tree bomb in the fix", func(p *pit) { p.within("", "040000 tree "+p.nested(10, 10)+"\tbomb\n") }},
	{"tree bomb that the fix removes", func(p *pit) { p.within("040000 tree "+p.nested(10, 10)+"\tbomb\n", "") }},
	{"tree bomb of long names", func(p *pit) {
		oid, mode := p.object("blob", "x\n"), "100644 blob"
		for range 10 {
			var b strings.Builder
			for i := range 10 {
				fmt.Fprintf(&b, "%s %s\t%d%s\n", mode, oid, i, strings.Repeat("n", 200))
			}
			oid, mode = p.tree(b.String()), "040000 tree"
		}
		p.finish("040000 tree " + oid + "\tbomb\n")
	}},
	{"tree bombs again and again", func(p *pit) {
		for i := range 40 {
			p.commit("bomb", p.source(0)+"040000 tree "+p.nested(9, 10)+"\tbomb"+fmt.Sprint(i%2)+"\n")
		}
		p.finish("")
	}},
	{"a million files, nested", func(p *pit) { p.within("", "040000 tree "+p.nested(2, 1000)+"\tbomb\n") }},
	{"many files, flat", func(p *pit) {
		one := p.object("blob", "x\n")
		var b strings.Builder
		for i := range size(1_000_000, 100_000) {
			fmt.Fprintf(&b, "100644 blob %s\tf%d\n", one, i)
		}
		p.within("", "040000 tree "+p.tree(b.String())+"\tbomb\n")
	}},
	{"zeros, beside the fix", func(p *pit) { p.finish(p.bigBlob(size(1<<30, 200<<20))) }},
	{"zeros, that the fix writes", func(p *pit) { p.within(p.bigBlob(100), p.bigBlob(size(1<<30, 200<<20))) }},
	{"zeros, that the fix removes", func(p *pit) { p.within(p.bigBlob(size(1<<30, 200<<20)), p.bigBlob(100)) }},
	{"a file of 9 MB in the fix", func(p *pit) {
		text := strings.Repeat("int some_line_of_code;\n", 9<<20/23)
		p.within(p.file("b.c", text), p.file("b.c", text+"int more;\n"))
	}},
	{"a file of 31 MB, all lines gone", func(p *pit) {
		p.within(p.file("b.c", strings.Repeat("int b_line;\n", 31<<20/12)), p.file("b.c", "int b;\n"))
	}},
	{"millions of short lines, all gone", func(p *pit) {
		p.within(p.file("b.c", strings.Repeat("}\n", 4_000_000)), p.file("b.c", "int b;\n"))
	}},
	{"a line of 10 MB", func(p *pit) {
		long := strings.Repeat("compute_total ", 10<<20/14)
		p.within(p.file("b.c", "x "+long), p.file("b.c", "y "+long))
	}},
	{"a line of 100 MB", func(p *pit) {
		long := strings.Repeat("compute_total ", 100<<20/14)
		p.within(p.file("b.c", "x "+long), p.file("b.c", "y "+long))
	}},
	{"a line of 7 MB in a.c", func(p *pit) {
		long := "// " + strings.Repeat("compute_total ", 7<<20/14) + "\n"
		p.commit("long", p.file("a.c", long+"int a_value;\n"))
		p.commit("longer", p.file("a.c", long+long+"int b_value;\n"))
		p.commit("fix", p.file("a.c", "fixed "+long+"int c_value;\n"))
		p.point(p.fix)
	}},
	{"names of 200 KB in the fix", func(p *pit) {
		name := strings.Repeat("long_Name9", 20<<10)
		p.within(p.file("b.c", "x_"+name+"\n"), p.file("b.c", "y_"+name+" "+"z_"+name+"\n"))
	}},
	{"a path of 10,000 folders", func(p *pit) { p.within("", "040000 tree "+p.deep(10_000, "d")+"\tdeep\n") }},
	{"a path of 300 KB", func(p *pit) {
		p.within("040000 tree "+p.deep(1000, strings.Repeat("d", 300))+"\tdeep\n", "")
	}},
	{"a name of 1 MB", func(p *pit) {
		name := strings.Repeat("n", 1<<20) + ".c"
		p.within(p.file(name, "int one_line;\n"), p.file(name, "int other_line;\n"))
	}},
	{"names of 100 KB, many", func(p *pit) {
		var b strings.Builder
		one := p.object("blob", "x\n")
		for i := range size(2000, 300) {
			fmt.Fprintf(&b, "100644 blob %s\t%d%s\n", one, i, strings.Repeat("n", 100<<10))
		}
		p.within("", b.String())
	}},
	{"renames, 2,000 of 2,000", func(p *pit) {
		n := size(2000, 500)
		text := func(salt string) func(int) string {
			return func(i int) string { return repeat(40, fmt.Sprintf("line %%d of %d %s", i, salt)) }
		}
		p.within(p.blobs("old", n, text("a")), p.blobs("new", n, text("b")))
	}},
	{"renames of large files", func(p *pit) {
		n := size(300, 40)
		text := func(salt string) func(int) string {
			return func(i int) string { return repeat(20_000, fmt.Sprintf("line %%d of %d %s", i, salt)) }
		}
		p.within(p.blobs("old", n, text("a")), p.blobs("new", n, text("b")))
	}},
	{"a merge of many", func(p *pit) { p.merge(size(20_000, 1000)) }},
	{"many commits", func(p *pit) {
		tree := p.tree(p.source(0))
		for i := range size(100_000, 5000) {
			p.fix = p.rawCommit(tree, "parent "+p.fix+"\n", "A <a@b> 1700000000 +0000", "", fmt.Sprint(i))
		}
		p.finish("")
	}},
	{"a message of 100 MB", func(p *pit) {
		p.odd(1, "A <a@b> 1700000000 +0000", "", strings.Repeat("word ", size(100<<20, 20<<20)/5))
	}},
	{"messages of 5 MB", func(p *pit) { p.odd(size(400, 60), "A <a@b> 1700000000 +0000", "", strings.Repeat("word ", 1<<20)) }},
	{"messages of many lines", func(p *pit) {
		p.odd(size(400, 60), "A <a@b> 1700000000 +0000", "", strings.Repeat("Fixes: deadbeef\n\n", 200_000))
	}},
	{"the fix's message of 50 MB", func(p *pit) {
		p.commit("more", p.source(0)+p.file("b.c", "x\n"))
		p.commit("fix\n\n"+strings.Repeat("Fixes: 1234567890ab (\"subject\")\n", 50<<20/33), p.source(1)+p.file("b.c", "x\n"))
		p.point(p.fix)
	}},
	{"an author of 40 MB", func(p *pit) { p.odd(1, strings.Repeat("A", 40<<20)+" <a@b> 1700000000 +0000", "", "m") }},
	{"a header of 40 MB", func(p *pit) { p.odd(1, "A <a@b> 1700000000 +0000", "gpgsig "+strings.Repeat("x", 40<<20)+"\n", "m") }},
	{"dates beyond time", func(p *pit) { p.odd(3, "A <a@b> 99999999999999999999999 +99999999", "", "m") }},
	{"dates before time", func(p *pit) { p.odd(3, "A <a@b> -1 -0000", "", "m") }},
	{"an unknown encoding", func(p *pit) {
		p.odd(size(300, 20), "A <a@b> 1700000000 +0000", "encoding UTF-7-X\n", strings.Repeat("+AG", 10_000))
	}},
	{"a chain of tags", func(p *pit) {
		p.finish("")
		oid, kind := p.fix, "commit"
		for i := range size(10_000, 1000) {
			oid, kind = p.object("tag", fmt.Sprintf("object %s\ntype %s\ntag t%d\ntagger A <a@b> 1 +0000\n\nt\n", oid, kind, i)), "tag"
		}
		p.write(".git/refs/tags/chain", oid+"\n")
		p.write(".git/refs/heads/main", p.fix+"\n")
		p.point(oid)
	}},
	{"a million refs", func(p *pit) {
		p.finish("")
		var b strings.Builder
		b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
		for i := range size(1_000_000, 100_000) {
			fmt.Fprintf(&b, "%s refs/heads/b%07d\n", p.fix, i)
		}
		p.write(".git/packed-refs", b.String())
	}},
	{"alternates in a circle", func(p *pit) {
		p.finish("")
		p.write(".git/objects/info/alternates", filepath.Join(p.dir, ".git/objects")+"\n"+filepath.Join(p.dir, "other/objects")+"\n")
		p.write("other/objects/info/alternates", filepath.Join(p.dir, ".git/objects")+"\n")
	}},
	{"many alternates", func(p *pit) {
		p.finish("")
		p.write(".git/objects/info/alternates", repeat(10_000, "/nonexistent/%d/objects"))
	}},
	{"submodules, 10,000", func(p *pit) {
		var before, after strings.Builder
		for i := range size(10_000, 2000) {
			fmt.Fprintf(&before, "160000 commit %040x\tm%d\n", i+1, i)
			fmt.Fprintf(&after, "160000 commit %040x\tm%d\n", i+2, i)
		}
		p.within(before.String(), after.String())
	}},
	{"attributes of 50 MB", func(p *pit) {
		text := strings.Repeat("*.c diff=cpp text eol=lf\n", size(50<<20, 10<<20)/25)
		p.write(".git/info/attributes", text)
		p.write(".gitattributes", text)
		p.finish(p.file(".gitattributes", text))
	}},
	{"a mailmap of 50 MB", func(p *pit) {
		text := strings.Repeat("A <a@b> B <b@c>\n", size(50<<20, 10<<20)/16)
		p.write(".mailmap", text)
		p.finish(p.file(".mailmap", text))
	}},
	{"grafts and replacements", func(p *pit) {
		p.finish("")
		p.write(".git/info/grafts", p.fix+" "+p.fix+"\n"+p.start+" "+p.fix+"\n")
		p.write(".git/refs/replace/"+p.start, p.fix+"\n")
		p.write(".git/refs/replace/"+p.fix, p.start+"\n")
	}},
	{"many notes", func(p *pit) {
		p.finish("")
		tree := p.tree(p.blobs("n", size(20_000, 2000), func(i int) string { return "note" }))
		p.write(".git/refs/notes/commits", p.rawCommit(tree, "", "A <a@b> 1 +0000", "", "notes")+"\n")
	}},
	{"a blob that lies of its size", lied("blob")},
	{"a tree that lies of its size", lied("tree")},
	{"a commit that lies of its size", lied("commit")},
	{"a damaged pack", damaged("pack/*.pack")},
	{"a damaged index of a pack", damaged("pack/*.idx")},
	{"a damaged commit-graph", damaged("info/commit-graph", "commit-graph", "write", "--reachable", "--changed-paths")},
	{"a damaged multi-pack-index", damaged("pack/multi-pack-index", "multi-pack-index", "write")},
	{"deltas, 4,000 deep", func(p *pit) {
		p.t.Helper()
		text := repeat(2000, "int line_%d;")
		var s strings.Builder
		for i := range size(4000, 500) {
			text += fmt.Sprintf("int more_%d;\n", i)
			fmt.Fprintf(&s, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nc\nM 100644 inline b.c\ndata %d\n%s\n", 1_700_000_000+i, len(text), text)
		}
		p.stdin = s.String()
		p.home.exec(p.t, command{dir: p.dir, stdin: s.String()}, "git", "fast-import", "--quiet", "--force", "--depth=5000")
		p.fix = strings.TrimSpace(p.home.git(p.t, p.dir, "rev-parse", "refs/heads/main"))
		p.within(p.file("b.c", text), p.file("b.c", text+"int last;\n"))
	}},
	{"candidates of unique names", func(p *pit) {
		p.chain(size(60, 15), func(i int) string {
			return repeat(60_000, fmt.Sprintf("int compute_total_%d_%%d;", i))
		})
	}},
	{"code that is nested deeply", func(p *pit) {
		text := "int compute_total = " + strings.Repeat("(", 200_000) + "\n" + strings.Repeat("/* ", 50_000) + "\n" + strings.Repeat(`"\`, 50_000) + "\n"
		py := "x_value = " + strings.Repeat("f\"{", 50_000) + "\n" + strings.Repeat(" ", 100_000) + "'''\n"
		p.within(p.file("b.c", text+"int one;\n")+p.file("c.py", py+"one\n")+p.file("d.js", strings.Repeat("`${", 80_000)+"one\n"),
			p.file("b.c", text+"int two;\n")+p.file("c.py", py+"two\n")+p.file("d.js", strings.Repeat("`${", 80_000)+"two\n"))
	}},
}

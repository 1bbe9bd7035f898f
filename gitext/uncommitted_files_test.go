package gitext

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUncommittedIsTheWorkTree(t *testing.T) {
	// HEAD with the uncommitted files over it is the work tree, for files in every state and in
	// every kind of index. Contents are as git add would store them.
	for name, prepare := range map[string]func(*fixture){
		"plain":    func(*fixture) {},
		"autocrlf": func(f *fixture) { f.git("config", "core.autocrlf", "true") },
		"split":    func(f *fixture) { f.git("update-index", "--split-index") },
		"sparse":   func(f *fixture) { f.git("sparse-checkout", "set", "--no-cone", "/*", "!/same") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			states(t, f)
			prepare(f)
			r := f.open()
			files, left, err := r.Uncommitted(t.Context())
			if err != nil || left != nil {
				t.Fatalf("left %q, %v", left, err)
			}
			f.git("add", "-f", "-A") // what git itself makes of the files
			want := map[string]string{}
			for line := range strings.SplitSeq(strings.TrimSuffix(f.git("diff", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", "HEAD"), "\x00"), "\x00:") {
				meta, path, _ := strings.Cut(line, "\x00")
				fields := strings.Fields(meta)
				want[path] = strings.TrimLeft(fields[1], "0") + " " + fields[3]
			}
			for _, o := range files {
				got := ""
				if o.Mode != 0 {
					got = strings.TrimSpace(f.hash(o.Content))
					got = "100644 " + got
					switch o.Mode {
					case 0o100755:
						got = "100755" + got[6:]
					case modeLink:
						got = "120000" + got[6:]
					}
				} else {
					got = " " + strings.Repeat("0", 40)
				}
				if o.Path == "removed-from-index" {
					continue // for git it is a new file, with the content of HEAD
				}
				if w, known := want[o.Path]; !known || got != w {
					t.Errorf("%q: got %q, git has %q (listed: %v)", o.Path, got, w, known)
				}
				delete(want, o.Path)
			}
			for _, unseen := range []string{"assumed", "skipped"} { // by the user's own choice
				delete(want, unseen)
			}
			if len(want) > 0 {
				t.Errorf("not returned: %q", want)
			}
		})
	}
}

// hash returns the id of a blob with that content, written nowhere.
func (f *fixture) hash(content []byte) string {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "content")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		f.t.Fatal(err)
	}
	return f.git("hash-object", "--no-filters", file)
}

func TestUncommittedReadsNoIgnoredFile(t *testing.T) {
	// A file ignored by any of the user's rules is not read, because it may contain secrets.
	// Nested repositories, pipes, and files that are too large or behind links are not read
	// either. Too large files are named.
	f := newFixture(t)
	f.write(".gitignore", "*.log\n")
	f.write("tracked", "x\n")
	f.commit("one")
	appendTo(t, filepath.Join(f.dir, ".git", "info", "exclude"), "excluded\n")
	global := filepath.Join(t.TempDir(), "global ignore")
	appendTo(t, global, "*.secret\n")
	f.git("config", "--global", "core.excludesFile", global)
	for _, name := range []string{"a.log", "excluded", "b.secret", "new", "dir/new", "dir/.gitignore"} {
		f.write(name, "*.o\n")
	}
	f.write("dir/x.o", "built\n")
	f.write("large", strings.Repeat("x", maxNewFile+1))
	f.git("init", "-q", "nested")
	f.write("nested/file", "x\n")
	if err := os.Symlink("/etc", filepath.Join(f.dir, "away")); err != nil {
		t.Fatal(err)
	}
	files, left, err := f.open().Uncommitted(t.Context())
	var names []string
	for _, o := range files {
		names = append(names, o.Path)
	}
	slices.Sort(names)
	if err != nil || strings.Join(names, " ") != "away dir/.gitignore dir/new new" || strings.Join(left, " ") != "large" {
		t.Errorf("files %q, left %q, %v", names, left, err)
	}
	for i := range maxNewFiles {
		f.write(filepath.Join("many", string(rune('a'+i%26))+strings.Repeat("x", i/26)), "x")
	}
	files, left, err = f.open().Uncommitted(t.Context())
	if err != nil || len(files) != maxNewFiles || len(left) != 5 {
		t.Errorf("of many: %d files, left %q, %v", len(files), left, err)
	}
}

func TestWorkFilesRunNoProgram(t *testing.T) {
	// No filter of the repository or the user runs, and a file with one of the user's filters is
	// left out.
	f := newFixture(t)
	program, marks := filterLair(t)
	f.write(".gitattributes", "*.big filter=lfs\n*.c filter=evil\n")
	f.write("a.big", "pointer\n")
	f.write("b.c", "one\n")
	f.commit("one")
	appendTo(t, os.Getenv("GIT_CONFIG_GLOBAL"), "[filter \"lfs\"]\n\tclean = \""+program("lfs")+"\"\n")
	appendTo(t, filepath.Join(f.dir, ".git", "config"), "[filter \"evil\"]\n\tclean = \""+program("evil")+"\"\n\trequired = true\n")
	f.write("a.big", "content\n")
	f.write("b.c", "two\n")
	r := f.open()
	files, left, err := r.Uncommitted(t.Context())
	if err != nil || shown(files) != "\"b.c\" 100644 \"two\\n\"\n" || strings.Join(left, " ") != "a.big" {
		t.Errorf("%s, left %q, %v", shown(files), left, err)
	}
	if files, err := r.WorkFiles(t.Context(), []string{"a.big", "gone"}); err != nil || shown(files) != "\"a.big\" 100644 \"content\\n\"\n\"gone\" 0 \"\"\n" {
		t.Errorf("%s, %v", shown(files), err)
	}
	if got := marks(); got != nil {
		t.Errorf("ran %q", got)
	}
	if f.git("status", "--porcelain"); marks() == nil {
		t.Error("plain git runs nothing either: this test proves nothing")
	}
}

package locate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// restic is the report in the message of restic's commit ce89018902, shortened, with the lines of
// the files below.
const restic = `WARNING: DATA RACE
Write at 0x00c0000784a0 by goroutine 41:
  github.com/restic/restic/internal/archiver.(*FileSaver).saveFile()
      /build/restic/internal/archiver/file_saver.go:5 +0x789
  github.com/restic/restic/internal/archiver.(*FileSaver).worker()
      /build/restic/internal/archiver/file_saver.go:9 +0x2af

Previous read at 0x00c0000784a0 by goroutine 29:
  github.com/restic/restic/internal/archiver.(*BlobSaver).Save()
      /build/restic/internal/archiver/blob_saver.go:4 +0x1dd
`

// guarded is a report of ThreadSanitizer about a class with a mutex, in the form of
// github.com/google/sanitizers.
const guarded = `WARNING: ThreadSanitizer: data race (pid=8312)
  Write of size 8 at 0x7b1400000008 by thread T2:
    #0 Pool::take() src/pool.cpp:4:10 (pool+0x4b1)
    #1 main src/main.cpp:9 (pool+0x4c1)

  Previous read of size 8 at 0x7b1400000008 by thread T1:
    #0 Pool::idle() const src/pool.cpp:8:9 (pool+0x4a1)
`

// minio is the report in the message of minio's commit 4a6c97463f, shortened, with the lines of the
// file below: the named results race, and p.storage is only read.
const minio = `WARNING: DATA RACE
Read at 0x00c130b29d10 by goroutine 470237:
  github.com/minio/minio/cmd.(*xlStorageDiskIDCheck).ReadVersion()
      github.com/minio/minio/cmd/xl-storage-disk-id-check.go:13 +0x611

Previous write at 0x00c130b29d10 by goroutine 470298:
  github.com/minio/minio/cmd.(*xlStorageDiskIDCheck).ReadVersion.func1()
      github.com/minio/minio/cmd/xl-storage-disk-id-check.go:10 +0x244
`

// The field that both racing lines have is shown where its type declares it, with the locks of a
// long declaration, and not where another type has a field of this name.
func TestRacing(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("\tint unused;\n", 40)
	for name, test := range map[string]struct {
		report string
		files  gittest.Files
		want   string
	}{
		"Go": {
			restic, gittest.Files{
				"internal/archiver/buffer.go":     "package archiver\n\n// Buffer is a reusable buffer.\ntype Buffer struct {\n\tData []byte\n\tpool *BufferPool\n}\n",
				"internal/archiver/file_saver.go": "package archiver\n\nfunc (s *FileSaver) saveFile() {\n\tbuf := s.pool.Get()\n\tbuf.Data = chunk.Data\n}\n\nfunc (s *FileSaver) worker() {\n\ts.saveFile()\n}\n",
				"internal/archiver/blob_saver.go": "package archiver\n\nfunc (s *BlobSaver) Save(buf *Buffer) FutureBlob {\n\treturn FutureBlob{ch: ch, length: len(buf.Data)}\n}\n",
				"internal/other/a.go":             "package other\n\ntype Other struct {\n\tData string\n}\n",
			},
			"Data of Buffer internal/archiver/buffer.go:5: 4 type Buffer struct {|5 \tData []byte|6 \tpool *BufferPool|7 }",
		},
		"C++": {
			guarded, gittest.Files{
				"src/pool.cpp": "#include \"pool.h\"\n\nvoid *Pool::take() {\n\tlast_ = next(this->free_);\n\treturn last_;\n}\nbool Pool::idle() const {\n\treturn this->free_ == nullptr;\n}\n",
				"src/main.cpp": "int main() {}\n",
				"src/pool.h":   "class Cache {\n\tItem *free_;\n};\n\nclass Pool : public Base\n{\npublic:\n\tvoid *take();\nprivate:\n" + filler + "\tstd::mutex mutex_;\n\t// The first item.\n\tItem *free_ = nullptr;\n\tItem *last_;\n};\n",
			},
			"free_ of Pool src/pool.h:52: 5 class Pool : public Base|50 \tstd::mutex mutex_;|51 \t// The first item.|52 \tItem *free_ = nullptr;|54 };",
		},
		"the line of the write assigns no field": {
			minio, gittest.Files{
				"cmd/xl-storage-disk-id-check.go": "package cmd\n\ntype xlStorageDiskIDCheck struct {\n\tdiskID  string\n\tstorage *xlStorage\n}\n\nfunc (p *xlStorageDiskIDCheck) ReadVersion() (fi FileInfo, err error) {\n\trerr := w.Run(func() error {\n\t\tfi, err = p.storage.ReadVersion(ctx)\n\t\treturn err\n\t})\n\treturn fi, err\n}\n",
			}, "",
		},
		"no field": {
			restic, gittest.Files{
				"internal/archiver/file_saver.go": "package archiver\n\nvar count int\n\nfunc f() { count++ }\n",
				"internal/archiver/blob_saver.go": "package archiver\n\nfunc g() int {\n\treturn count\n}\n",
			}, "",
		},
	} {
		h := gittest.New(t)
		commit := h.Commit("start", test.files)
		report, err := format.Read(strings.NewReader(test.report))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Locate(t.Context(), h.Open(), commit, report); err != nil {
			t.Fatal(err)
		}
		list, err := Racing(t.Context(), h.Open(), commit, report)
		if err != nil {
			t.Fatal(err)
		}
		if got := declared(list); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, test.want)
		}
	}
}

func declared(list []crash.Declaration) string {
	var all []string
	for _, d := range list {
		var lines []string
		for _, l := range d.Lines {
			lines = append(lines, fmt.Sprintf("%d %s", l.Line, l.Text))
		}
		all = append(all, fmt.Sprintf("%s of %s %s:%d: %s", d.Field, d.Type, d.Path, d.Line, strings.Join(lines, "|")))
	}
	return strings.Join(all, "; ")
}

// Lines as they stand in sources, and whether they declare the field.
func TestDeclaresField(t *testing.T) {
	for line, want := range map[string]bool{
		"a.go:\tconn net.Conn":                        true,
		"a.go:\tconn, other *Conn // open":            true,
		"a.go:\tconn     map[string]int `json:\"c\"`": true,
		"a.go:\tconn := dial()":                       false,
		"a.go:\tconn = nil":                           false,
		"a.go:\treturn conn":                          false,
		"a.go:\tconn: dial(),":                        false,
		"a.c:\tstruct item *conn;":                    true,
		"a.h:    std::vector<Item> conn{};":           true,
		"a.h:\tunsigned conn : 3;":                    true,
		"a.h:\tint conn[8];":                          true,
		"a.c:\treturn conn;":                          false,
		"a.c:\tconn = next(conn);":                    false,
		"a.c:\tdelete conn;":                          false,
	} {
		file, text, _ := strings.Cut(line, ":")
		if got := declaresField(file, []byte(text), "conn"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

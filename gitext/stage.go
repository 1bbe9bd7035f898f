package gitext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// maxChangedFile is the largest size of a file that is read from a work tree, in bytes.
const maxChangedFile = 16 << 20

// stage reads files of a work tree as git add would store them: with line endings and encodings
// as in the attributes, and with the mode from the index if the file system keeps none. git must
// use a scratch copy of the files' index, and an object directory of gitext. The files must be
// regular files or symbolic links.
func stage(ctx context.Context, git *gitcmd.Runner, paths []string) ([]Overlay, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	add := gitcmd.Call{
		Args:  []string{"-c", "core.safecrlf=false", "update-index", "--add", "--replace", "-z", "--stdin"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"),
	}
	if _, err := git.Output(ctx, add); err != nil {
		return nil, err
	}
	out, err := git.Output(ctx, gitcmd.Call{Args: []string{"ls-files", "--stage", "-z"}})
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	list := make([]Overlay, len(paths))
	for i, path := range paths {
		at[path], list[i].Path = i, path
	}
	for _, record := range splitNUL(out) {
		mode, oid, path := stagedEntry(record)
		if i, asked := at[path]; asked {
			list[i].Mode, list[i].OID = mode, oid
		}
	}
	return list, readContents(ctx, git, list)
}

// stagedEntry reads "mode oid stage\tpath", as ls-files --stage prints it.
func stagedEntry(record string) (mode uint32, oid OID, path string) {
	meta, path, _ := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if len(fields) != 3 {
		return 0, "", path
	}
	n, err := strconv.ParseUint(fields[0], 8, 32)
	if err != nil {
		return 0, "", path
	}
	return uint32(n), OID(fields[1]), path
}

// readContents replaces the ids of files by their contents.
func readContents(ctx context.Context, git *gitcmd.Runner, list []Overlay) error {
	var ids bytes.Buffer
	for _, o := range list {
		fmt.Fprintln(&ids, o.OID)
	}
	out, err := git.Output(ctx, gitcmd.Call{Args: []string{"cat-file", "--batch"}, Stdin: &ids})
	if err != nil {
		return err
	}
	for i := range list {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		fields := strings.Fields(string(head)) // id, kind, size
		if len(fields) != 3 {
			return fmt.Errorf("read %s: %s", strconv.Quote(list[i].Path), head)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size >= len(rest) {
			return fmt.Errorf("read %s: unexpected size in %q", strconv.Quote(list[i].Path), head)
		}
		list[i].OID, list[i].Content, out = "", rest[:size:size], rest[size+1:]
	}
	return nil
}

// kindsOfFiles are paths of a work tree, by kind of file.
type kindsOfFiles struct {
	files []string // regular files and symbolic links
	large []string // files of more than a limit
	gone  []string // nothing, or something that git does not store
}

// kindsBelow sorts paths below a directory. A path behind a symbolic link is gone, because git
// sees only the link. A path for which InsideTree is false is an error.
func kindsBelow(dir string, paths []string, limit int64) (k kindsOfFiles, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return k, err
	}
	defer root.Close()
	for _, path := range paths {
		if !InsideTree(path) {
			return k, fmt.Errorf("%s is not a path inside a tree", strconv.Quote(path))
		}
		info, err := root.Lstat(filepath.FromSlash(path))
		switch {
		case err != nil || behindLink(root, path):
			k.gone = append(k.gone, path)
		case info.Mode()&os.ModeSymlink != 0:
			k.files = append(k.files, path)
		case !info.Mode().IsRegular():
			k.gone = append(k.gone, path)
		case info.Size() > limit:
			k.large = append(k.large, path)
		default:
			k.files = append(k.files, path)
		}
	}
	return k, nil
}

// behindLink reports whether a directory in a path is a symbolic link.
func behindLink(root *os.Root, path string) bool {
	for i, c := range path {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(filepath.FromSlash(path[:i])); err != nil || info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext"
)

// Pathspecs reads paths as git reads them: relative to the current directory, with
// wildcards and magic (gitglossary(7), "pathspec").
type Pathspecs struct {
	top    string // of the work tree; "" in a bare repository
	Dir    string // the current directory
	Prefix string // the current directory from the top, "" at the top and outside of the work tree
	env    Environ
}

// PathspecsIn returns the reader for the current directory. Outside of the work tree (with
// --git-dir and --work-tree), paths start at the top, as in git.
func PathspecsIn(repo *gitext.Repo, env Environ) Pathspecs {
	p := Pathspecs{top: repo.WorkTree(), env: env}
	dir, err := os.Getwd()
	if err != nil {
		return p
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved // git resolves its work tree too
	}
	p.Dir = dir
	if p.top == "" || within(repo.GitDir(), dir) {
		return p
	}
	if rel, err := filepath.Rel(p.top, dir); err == nil && rel != "." && within(p.top, dir) {
		p.Prefix = filepath.ToSlash(rel)
	}
	return p
}

// within reports whether a directory is top or below top.
func within(top, dir string) bool {
	rel, err := filepath.Rel(top, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// set reports whether one of git's variables for all pathspecs is true. git's options
// --literal-pathspecs, --glob-pathspecs and so on set them.
func (p Pathspecs) set(name string) bool {
	switch strings.ToLower(p.env.Get(name)) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// Paths translates typed pathspecs into paths from the top of the tree: nil if they include
// everything, literal paths if none of them has magic or wildcards, otherwise pathspecs in the
// long form, which begins with ":(".
func (p Pathspecs) Paths(typed []string) ([]string, error) {
	var specs []pathspec
	magic, all := false, false
	for _, t := range typed {
		s, err := p.parse(t)
		if err != nil {
			return nil, err
		}
		if s.path == "" && !s.has("exclude") {
			all = true
			continue
		}
		specs = append(specs, s)
		magic = magic || len(s.magic) > 0 && !slices.Equal(s.magic, []string{"literal"}) || s.wild()
	}
	if all {
		specs = slices.DeleteFunc(specs, func(s pathspec) bool { return !s.has("exclude") })
	}
	var paths []string
	for _, s := range specs {
		if magic {
			paths = append(paths, s.long(p.Prefix))
		} else {
			paths = append(paths, s.path)
		}
	}
	return paths, nil
}

// File returns the path of one file, from the top of the tree.
func (p Pathspecs) File(typed string) (string, error) {
	if rest, ok := strings.CutPrefix(typed, ":/"); ok {
		return p.join(rest, true)
	}
	return p.join(typed, false)
}

// pathspec is a pathspec from the top of the tree.
type pathspec struct {
	magic []string // without top
	path  string   // "" is the top itself
}

func (s pathspec) has(magic string) bool { return slices.Contains(s.magic, magic) }

// wild reports whether the path has wildcards that count.
func (s pathspec) wild() bool { return !s.has("literal") && strings.ContainsAny(s.path, `*?[\`) }

// long returns the pathspec in the long form. git's own prefix:<n> marks the part from the
// current directory as literal.
func (s pathspec) long(prefix string) string {
	words := s.magic
	if !s.wild() && !s.has("literal") && !s.has("glob") {
		words = append(slices.Clone(words), "literal")
	}
	if n := sharedDirs(prefix, s.path); n > 0 && s.wild() {
		words = append(slices.Clone(words), fmt.Sprintf("prefix:%d", n))
	}
	if len(words) == 0 {
		words = []string{"top"}
	}
	return ":(" + strings.Join(words, ",") + ")" + s.path
}

// sharedDirs returns the length of the directories that a path shares with the prefix, with the
// slash after them.
func sharedDirs(prefix, path string) int {
	n := 0
	for dir := range strings.SplitAfterSeq(prefix+"/", "/") {
		if prefix == "" || dir == "" || !strings.HasPrefix(path[n:], dir) {
			break
		}
		n += len(dir)
	}
	return n
}

// parse reads one pathspec. Its errors are git's.
func (p Pathspecs) parse(typed string) (pathspec, error) {
	var s pathspec
	if typed == "" {
		return s, fmt.Errorf("empty string is not a valid pathspec; use . instead if you meant to match all paths")
	}
	rest, top, err := typed, false, error(nil)
	if !p.set("GIT_LITERAL_PATHSPECS") {
		rest, top, err = s.cutMagic(typed)
	} else {
		s.magic = []string{"literal"}
	}
	switch {
	case err != nil:
		return s, err
	case s.has("literal") && s.has("glob"):
		return s, fmt.Errorf("%q: 'literal' and 'glob' are incompatible", typed)
	case s.has("literal") || s.has("glob"):
	case p.set("GIT_NOGLOB_PATHSPECS"):
		s.magic = append(s.magic, "literal")
	case p.set("GIT_GLOB_PATHSPECS"):
		s.magic = append(s.magic, "glob")
	}
	if p.set("GIT_ICASE_PATHSPECS") && !s.has("icase") {
		s.magic = append(s.magic, "icase")
	}
	s.path, err = p.join(rest, top)
	if err == nil && strings.HasSuffix(rest, "/") && s.path != "" {
		s.path += "/" // matches only a directory
	}
	return s, err
}

// cutMagic removes the magic from a pathspec. It returns the path, and whether the path starts at
// the top.
func (s *pathspec) cutMagic(typed string) (rest string, top bool, err error) {
	switch {
	case strings.HasPrefix(typed, ":("):
		words, rest, closed := strings.Cut(typed[2:], ")")
		if !closed {
			return "", false, fmt.Errorf("missing ')' at the end of pathspec magic in %q", typed)
		}
		for word := range strings.SplitSeq(words, ",") {
			switch word {
			case "":
			case "top":
				top = true
			case "literal", "glob", "icase", "exclude":
				s.magic = append(s.magic, word)
			default:
				return "", false, fmt.Errorf("invalid pathspec magic '%s' in '%s' (known are top, literal, icase, glob and exclude)", word, typed)
			}
		}
		return rest, top, nil
	case strings.HasPrefix(typed, ":"):
		rest = typed[1:]
		for rest != "" {
			switch c := rest[0]; {
			case c == '/':
				top = true
			case c == '!' || c == '^':
				if !s.has("exclude") {
					s.magic = append(s.magic, "exclude")
				}
			case c == ':':
				return rest[1:], top, nil
			case strings.ContainsRune("\"#%&',-;<=>@_`~", rune(c)):
				return "", false, fmt.Errorf("unimplemented pathspec magic '%c' in %q", c, typed)
			default:
				return rest, top, nil
			}
			rest = rest[1:]
		}
		return "", top, nil
	}
	return typed, false, nil
}

// join returns a path from the top of the tree, "" for the top itself. In a bare repository,
// there are no relative paths.
func (p Pathspecs) join(typed string, fromTop bool) (string, error) {
	full := path.Join(p.Prefix, filepath.ToSlash(typed))
	if fromTop {
		full = path.Clean(filepath.ToSlash(typed))
	}
	if filepath.IsAbs(typed) && !fromTop && p.top != "" {
		real := typed
		if resolved, err := filepath.EvalSymlinks(filepath.Dir(typed)); err == nil {
			real = filepath.Join(resolved, filepath.Base(typed))
		}
		for _, spelled := range []string{real, typed} {
			if rel, err := filepath.Rel(p.top, spelled); err == nil {
				full = filepath.ToSlash(rel)
			}
			if within(p.top, spelled) {
				break
			}
		}
	}
	if full == ".." || strings.HasPrefix(full, "../") {
		return "", fmt.Errorf("%q is outside the repository at %q", typed, p.top)
	}
	if full == "." {
		return "", nil
	}
	return full, nil
}

// Exists reports whether an argument without "--" before it can be a path: it exists, or it is a
// pattern by git's rules, with long magic or a wildcard.
func (p Pathspecs) Exists(arg string) bool {
	name := arg
	switch {
	case arg == "":
		return false
	case strings.HasPrefix(arg, ":("), strings.ContainsAny(arg, "*?["):
		return true
	case strings.HasPrefix(arg, ":"):
		var s pathspec
		rest, top, err := s.cutMagic(arg)
		if err != nil {
			return false
		}
		if name = rest; top {
			name = filepath.Join(p.top, rest)
		}
		if rest == "" {
			return top || s.has("exclude")
		}
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	_, err := os.Lstat(name)
	return err == nil
}

// IsFile reports whether an argument is the name of a file of the work tree, even if it is also a
// revision.
func (p Pathspecs) IsFile(arg string) bool {
	if p.top == "" || !within(p.top, p.Dir) || filepath.IsAbs(arg) {
		return false
	}
	if strings.HasPrefix(arg, ":") && !strings.HasPrefix(arg, ":(") {
		return p.Exists(arg)
	}
	_, err := os.Lstat(filepath.Join(p.Dir, arg))
	return arg != "" && err == nil
}

// dashesHint advises to separate revisions and paths.
const dashesHint = "use '--' to separate paths from revisions, like this:\n'git agent szz [<revision>...] -- [<path>...]'"

// SplitArguments splits arguments without a "--" into revisions and the paths after them, as git
// does: the first argument that is no revision begins the paths, which must all exist. An
// ambiguous argument is an error.
func SplitArguments(ctx context.Context, repo *gitext.Repo, args []string) (revisions, paths []string, err error) {
	p := PathspecsIn(repo, nil)
	for i, arg := range args {
		_, unknown := repo.ResolveRevisions(ctx, []string{arg})
		if unknown == nil {
			if p.IsFile(arg) {
				return nil, nil, ambiguous(arg, "both revision and filename")
			}
			continue
		}
		if slices.ContainsFunc(args[i:], func(a string) bool { return !p.Exists(a) }) {
			return nil, nil, notAPath(args[i:], p, unknown)
		}
		return args[:i], args[i:], nil
	}
	return args, nil, nil
}

// notAPath explains why the arguments are neither revisions nor paths. unknown is git's error for
// the first one as a revision.
func notAPath(args []string, p Pathspecs, unknown error) error {
	if i := slices.IndexFunc(args, func(a string) bool { return !p.Exists(a) }); i > 0 {
		return WithHint(fmt.Errorf("%s: no such path in the working tree", args[i]),
			"use 'git agent szz [<revision>...] -- <path>...' to specify paths that do not exist locally")
	}
	if !errors.Is(unknown, gitext.ErrUnknownRevision) || args[0] == "HEAD" || strings.Contains(args[0], ":") {
		return unknown
	}
	return ambiguous(args[0], "unknown revision or path not in the working tree")
}

// ambiguous returns git's error for an argument that is not only a revision.
func ambiguous(arg, why string) error {
	return WithHint(fmt.Errorf("ambiguous argument '%s': %s", arg, why), dashesHint)
}

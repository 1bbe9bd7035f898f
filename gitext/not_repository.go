package gitext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// notRepository explains why git found no repository. If there is none, the
// error is ErrNotRepository. If git refuses one that exists, the error gives
// git's reason, or our own where git says only that there is none.
func (r *Repo) notRepository(err error) error {
	var gitErr *Error
	if !errors.As(err, &gitErr) || gitErr.Exit != 128 {
		return err
	}
	said := gitErr.said()
	if !strings.HasPrefix(said, noRepository) {
		if strings.Contains(gitErr.Stderr, "safe.directory") || strings.Contains(gitErr.Stderr, "safe.bareRepository") {
			return &Error{Exit: 128, Err: errors.New(said), Hint: ownerAdvice(gitErr.Stderr)}
		}
		return &Error{Exit: 128, Err: errors.New(wholeComplaint(gitErr.Stderr))}
	}
	if why := brokenAt(r.opt.Dir, r.user.getenv("GIT_DIR")); why != "" {
		return &Error{Exit: 128, Err: errors.New(why)}
	}
	gitErr.Err = errors.Join(ErrNotRepository, gitErr.Err)
	gitErr.Hint = "run this inside a repository, or name one with 'git -C <dir> agent ...'"
	return gitErr
}

// noRepository begins git's message when it found no repository.
const noRepository = "not a git repository"

// wholeComplaint joins all of git's messages into one line: for a broken
// configuration file git prints several.
func wholeComplaint(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		text := quotedLine.ReplaceAllString(strings.TrimSpace(line), "$1$2$3")
		kind, rest, begins := strings.Cut(text, ": ")
		begins = begins && slices.Contains([]string{"fatal", "error", "warning"}, kind)
		switch {
		case text == "" || kind == "hint" || begins && slices.Contains(said, rest):
		case begins || said == nil:
			said = append(said, strings.TrimPrefix(text, kind+": "))
		default:
			said[len(said)-1] += " " + text
		}
	}
	return strings.TrimSuffix(strings.Join(said, "; "), ".")
}

// brokenAt says what is wrong with the repository at dir, or "" if there is
// none. It names the path, since git may have looked in the directories above.
func brokenAt(dir, named string) string {
	place := findGitDir(dir, named)
	if place == "" {
		return ""
	}
	from := ""
	if named != "" {
		from = "GIT_DIR names it"
	} else if filepath.Base(place) != ".git" || !isDir(place) {
		from = "a .git file names it"
	}
	why := brokenBecause(place)
	switch {
	case why == "":
		return ""
	case from != "":
		return fmt.Sprintf("%q is not a git repository: %s (%s)", place, why, from)
	}
	return fmt.Sprintf("%q is not a git repository: %s", place, why)
}

// brokenBecause says what git misses in a git directory, "" for nothing.
func brokenBecause(dir string) string {
	if _, err := os.ReadDir(dir); err != nil {
		return reason(err)
	}
	head, err := ReadRegular(filepath.Join(dir, "HEAD"), maxGitFile)
	if link, lerr := os.Readlink(filepath.Join(dir, "HEAD")); lerr == nil && strings.HasPrefix(link, "refs/") {
		head, err = []byte("ref: "+link), nil // early versions of git wrote HEAD as a symbolic link
	}
	if err != nil {
		return "HEAD: " + reason(err)
	}
	text := strings.TrimSpace(string(head))
	if _, err := ParseOID(text); err != nil && !strings.HasPrefix(text, "ref:") {
		return "HEAD names neither a branch nor a commit"
	}
	common := dir
	if text, err := ReadRegular(filepath.Join(dir, "commondir"), maxGitFile); err == nil {
		common = strings.TrimSpace(string(text))
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
	}
	for _, name := range []string{"objects", "refs"} {
		if _, err := os.ReadDir(filepath.Join(common, name)); err != nil {
			if common != dir {
				return fmt.Sprintf("%s of the directory that its file commondir names: %s", name, reason(err)) // commondir may be a link to a secret, so its text is not shown
			}
			return name + ": " + reason(err)
		}
	}
	return ""
}

// reason returns the system's error text without the file name.
func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

// ownerAdvice returns the command that git suggests for a directory that
// somebody else owns, "" if it suggests none. The directory's name may contain
// lines that look like the command, so it must be the only line in its place,
// at the end.
func ownerAdvice(stderr string) string {
	_, advice, _ := strings.Cut(stderr, "\n\n\t")
	advice = strings.TrimSpace(advice)
	if !strings.HasPrefix(advice, "git config --global --add safe.directory ") || strings.Contains(advice, "\n") {
		return ""
	}
	return advice
}

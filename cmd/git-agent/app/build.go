package app

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// nextRelease is the version that this source becomes when it is tagged; CHANGELOG.md begins with it.
const nextRelease = "0.1.0"

// The linker sets version in the program of a release, and commit in every program that a script
// of ours builds. A commit of changed files ends with ".dirty".
var version, commit string

// VersionString returns the version of a release, such as "0.1.0". Of another build it returns
// the next release as a pre-release, with the commit if that is known: "0.1.0-dev+352c063a4b1d".
func VersionString() string {
	if version != "" {
		return version
	}
	info, _ := debug.ReadBuildInfo()
	return versionOf(info, commit)
}

// versionOf returns the version of a build that has none from the linker.
func versionOf(info *debug.BuildInfo, commit string) string {
	if tag, ok := strings.CutPrefix(mainVersion(info), "v"); ok && !strings.HasPrefix(tag, "0.0.0-") {
		return tag
	}
	id, dirty, _ := strings.Cut(cmp.Or(commit, revision(info)), ".")
	v := unreleased
	if id != "" {
		v += "+" + id[:min(len(id), 12)]
		if dirty != "" {
			v += "." + dirty
		}
	}
	return v
}

// unreleased is the version of a build of an unknown commit.
const unreleased = nextRelease + "-dev"

// mainVersion returns the version that the go command took from a tag, or "". Where there is no
// tag, it makes one up that begins with v0.0.0.
func mainVersion(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	return info.Main.Version
}

// revision returns the commit that the go command recorded, with ".dirty" if files were changed,
// or "".
func revision(info *debug.BuildInfo) string {
	var id, suffix string
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			id = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			suffix = ".dirty"
		}
	}
	if id == "" {
		return ""
	}
	return id + suffix
}

// BuildOptions returns what the program was built from and for, a line for each fact, in the form
// of git version --build-options.
func BuildOptions() string {
	info, _ := debug.ReadBuildInfo()
	from := "no commit associated with this build"
	if id := cmp.Or(commit, revision(info)); id != "" {
		from = "built from commit: " + id
	}
	return fmt.Sprintf("%s\nsystem: %s\ncpu: %s\ngo: %s\n", from, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// BuildIdentity identifies the build of the program, so that it does not use
// cached answers of another build. It does not include git's version, because the
// program's calls of git have the same meaning in every version.
func BuildIdentity() string {
	id := VersionString()
	exe, err := os.Executable()
	if err != nil {
		return id
	}
	info, err := os.Stat(exe)
	if err != nil {
		return id
	}
	return fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
}

// EngineVersion returns the version if it names a commit, or else a hash of the build, because
// two builds that may answer differently must not share predictions.
func EngineVersion() (string, error) {
	if v := VersionString(); v != unreleased && !strings.Contains(v, "dirty") {
		return v, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if id := linkedID(path); id != nil {
		sum.Write(id)
		return hex.EncodeToString(sum.Sum(nil)[:6]), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

// linkedID returns what the linker of Go noted of a program's content, or nil. To hash the content
// itself takes 40 ms.
func linkedID(program string) []byte {
	f, err := elf.Open(program)
	if err != nil {
		return nil // not the form of this system
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil || note.Size <= 16 { // the head of a note, and nothing behind it
		return nil
	}
	id, _ := note.Data() // nil if it cannot be read
	return id
}

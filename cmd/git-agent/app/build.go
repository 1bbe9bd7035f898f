package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// version is set by install.sh from `git describe`.
var version = ""

// VersionString returns the version from install.sh, or else the version recorded
// by the Go tool, as in `go install module@version`.
func VersionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
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

// EngineVersion returns the version of a release, or else a hash of the program,
// because two builds that may answer differently must not share predictions.
func EngineVersion() (string, error) {
	if v := VersionString(); v != "devel" && !strings.Contains(v, "dirty") {
		return v, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

package address

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/gitext/disk"
)

// The limits of questions to servers of debuginfod.
const (
	askTime = 2 * time.Minute // for one file, which may have a gigabyte
	maxAsk  = 12              // files of one report
)

// debugFolder is where distributions install debugging information.
const debugFolder = "/usr/lib/debug/.build-id"

var buildPattern = source.Lazy(`^[0-9a-f]{8,128}$`)

func isBuildID(s string) bool { return buildPattern().MatchString(s) }

// stored returns the names of files that may hold the binary of a build id on this machine: in the
// cache of debuginfod's clients, whose places are those of debuginfod_find_debuginfo(3), and in the
// system's folder of debugging information.
func stored(build string) []string {
	var files []string
	for _, folder := range cacheFolders() {
		for _, kind := range []string{"debuginfo", "executable"} {
			files = append(files, filepath.Join(folder, build, kind))
		}
	}
	return append(files, filepath.Join(debugFolder, build[:2], build[2:]+".debug"))
}

// cacheFolders returns the folders in which a client of debuginfod keeps files.
func cacheFolders() []string {
	var folders []string
	if folder := os.Getenv("DEBUGINFOD_CACHE_PATH"); filepath.IsAbs(folder) {
		folders = append(folders, folder)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "debuginfod_client"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".debuginfod_client_cache"))
	}
	return folders
}

// ask asks the servers of DEBUGINFOD_URLS for the debugging information of a build id, through
// debuginfod-find, which keeps it in its cache. It returns the file.
func (w *naming) ask(ctx context.Context, build string) (string, error) {
	program, err := sandbox.Program("debuginfod-find")
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(os.Getenv("DEBUGINFOD_URLS")) == "":
		return "", errors.New("DEBUGINFOD_URLS names no server")
	case w.asked >= maxAsk:
		return "", fmt.Errorf("it was asked for %d files, and not for more", maxAsk)
	}
	w.asked++
	dir, err := disk.MakeTemp()
	if err != nil {
		return "", err
	}
	defer dir.Remove() // debuginfod-find writes nothing there
	result, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: dir.Path, Argv: []string{program, "debuginfo", build}, Sandbox: sandbox.None, Network: true, Timeout: askTime,
		Env: []string{"DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_TIMEOUT", "DEBUGINFOD_MAXTIME", "DEBUGINFOD_MAXSIZE", "https_proxy", "http_proxy", "no_proxy"},
	})
	switch {
	case err != nil:
		return "", err
	case result.TimedOut:
		return "", fmt.Errorf("debuginfod-find did not answer within %v", askTime)
	case result.Exit != 0:
		return "", errors.New("the servers do not have build id " + build)
	}
	return string(bytes.TrimSpace(result.Output)), nil
}

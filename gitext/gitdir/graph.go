package gitdir

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	graphName     = "commit-graph"
	TipsName      = "bloom-tips" // hash of the refs of the graph
	graphSeenName = "graph-seen" // stamp of the last graph whose checksum was verified
)

// Graph returns the path of a shadow's commit-graph.
func Graph(shadow string) string { return filepath.Join(shadow, "objects", "info", graphName) }

// DropDamagedGraph removes a commit-graph whose checksum is wrong, and reports
// whether it removed one. git trusts the commit-graph, even a wrong parent, and
// verifies the checksum only in commit-graph verify. The file is read once, and
// again after a change. Without a commit-graph, the answers are the same but
// slower.
func DropDamagedGraph(shadow, format string) bool {
	graph, seen := Graph(shadow), filepath.Join(shadow, graphSeenName)
	info, err := os.Lstat(graph)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil && info.Mode().IsRegular() {
		stamp := []byte(stampOf(graph, info))
		if len(stamp) > 0 && sameFile(seen, stamp) == nil {
			return false
		}
		if graphIsWhole(graph, format) {
			_ = ReplaceFile(seen, stamp) // without the stamp, the next call reads the file again
			return false
		}
	}
	os.RemoveAll(graph) // removes a symbolic link, not its target; git reports leftovers
	os.Remove(filepath.Join(shadow, TipsName))
	return true
}

// graphIsWhole compares the hash at the end of the file.
func graphIsWhole(graph, format string) bool {
	f, err := os.Open(graph)
	if err != nil {
		return false
	}
	defer f.Close() // it was only read
	sum := sha1.New()
	if format == "sha256" {
		sum = sha256.New()
	}
	info, err := f.Stat()
	if err != nil || info.Size() < int64(sum.Size()) {
		return false
	}
	if _, err := io.CopyN(sum, f, info.Size()-int64(sum.Size())); err != nil {
		return false
	}
	end, err := io.ReadAll(io.LimitReader(f, int64(sum.Size())))
	return err == nil && bytes.Equal(end, sum.Sum(nil))
}

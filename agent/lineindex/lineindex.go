package lineindex

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"git-agent/cache"
	"git-agent/gitext"
)

// These are the kinds of parts.
const (
	kindHeader    cache.PartKind = iota + 1 // one part, JSON
	kindCommits                             // chapters of the graph
	kindBlock                               // changed lines
	kindSignature                           // signatures of the blocks outside all segments
	kindSegment                             // segmentPieces pieces for each segment
	kindStarts                              // one part: the commit at which each block begins
	kindOriginals                           // the records whose lines may be copied, for later builds
	kindCopies                              // for each segment, the originals of the copies in its blocks
)

// formatVersion changes with the meaning of the parts.
const formatVersion = 3

// A Header describes an index.
type Header struct {
	Format    int       `json:"format"`
	Git       string    `json:"git"`      // the version of git that compared the files: its first two numbers
	Objects   string    `json:"objects"`  // the format of object ids
	Boundary  string    `json:"boundary"` // identifies the boundary of a shallow clone; "" for a full clone
	Commits   int       `json:"commits"`
	Blocks    int       `json:"blocks"`
	Segments  int       `json:"segments"`
	Originals int       `json:"originals"` // records whose lines later records may repeat
	Text      int64     `json:"text"`      // bytes of the changed lines before compression
	Built     time.Time `json:"built"`
	Complete  bool      `json:"complete"` // the last build or update was not interrupted
}

// headerOf returns the header of an empty index of the repository.
func headerOf(ctx context.Context, repo *gitext.Repo) (Header, error) {
	version, err := repo.GitVersion(ctx)
	if err != nil {
		return Header{}, err
	}
	h := Header{Format: formatVersion, Git: majorMinor(version), Objects: repo.ObjectFormat()}
	if boundary := repo.ShallowBoundary(); len(boundary) > 0 {
		sum := sha256.New()
		for _, oid := range slices.Sorted(maps.Keys(boundary)) {
			fmt.Fprintln(sum, oid)
		}
		h.Boundary = hex.EncodeToString(sum.Sum(nil)[:16])
	}
	return h, nil
}

// majorMinor returns "2.39" of "2.39.5 (Apple Git-1)".
func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// A staleError says why an index cannot answer for the current repository.
type staleError struct{ Why string }

func (e *staleError) Error() string { return e.Why }

// fits returns a *staleError if an index with this header does not fit the header now.
func (h Header) fits(now Header) error {
	switch {
	case h.Format != now.Format:
		return &staleError{"the index was built by another version of git-agent"}
	case h.Objects != now.Objects:
		return &staleError{fmt.Sprintf("the index was built for %s objects", h.Objects)}
	case h.Git != now.Git:
		return &staleError{fmt.Sprintf("the index was built with git %s, and this is git %s", h.Git, now.Git)}
	case h.Boundary != now.Boundary:
		return &staleError{"the index was built when the clone was shallow at other commits"}
	}
	return nil
}

func (h Header) oidSize() int {
	if h.Objects == "sha256" {
		return 32
	}
	return 20
}

// getter reads parts.
type getter interface {
	Get(ctx context.Context, key cache.PartKey) ([]byte, error)
}

// readHeader reads the header; an index without one is empty.
func readHeader(ctx context.Context, from getter) (Header, error) {
	data, err := from.Get(ctx, cache.PartKey{Kind: kindHeader})
	if errors.Is(err, fs.ErrNotExist) {
		return Header{}, cache.ErrNoIndex
	}
	var h Header
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}

// readGraph reads the commits.
func readGraph(ctx context.Context, from getter, h Header) (*graph, error) {
	g := newGraph(h.oidSize())
	g.grow(h.Commits)
	for n := uint32(0); g.len() < h.Commits; n++ {
		data, err := from.Get(ctx, cache.PartKey{Kind: kindCommits, Num: n})
		if err == nil {
			err = g.decode(data)
		}
		if err != nil {
			return nil, err
		}
	}
	if g.len() != h.Commits {
		return nil, errGraph
	}
	return g, nil
}

// An Index answers for one repository. It is safe for concurrent use.
type Index struct {
	Header Header

	repo   *gitext.Repo
	store  *cache.IndexReader
	graph  *graph
	starts []uint32     // the commit of the first record of each block
	copies [][]recordID // the originals that the copies in each block name
}

// Open opens the index in dir. The error is cache.ErrNoIndex if there is none, and a
// *staleError if it cannot answer for the repository.
func Open(ctx context.Context, dir string, repo *gitext.Repo) (*Index, error) {
	store, err := cache.OpenIndex(ctx, dir)
	if err != nil {
		return nil, err
	}
	x := &Index{repo: repo, store: store}
	if err := x.read(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return x, nil
}

func (x *Index) read(ctx context.Context) error {
	var err error
	if x.Header, err = readHeader(ctx, x.store); err != nil {
		return err
	}
	now, err := headerOf(ctx, x.repo)
	if err == nil {
		err = x.Header.fits(now)
	}
	if err == nil {
		x.graph, err = readGraph(ctx, x.store, x.Header)
	}
	if err == nil {
		x.starts, err = readStarts(ctx, x.store, x.Header)
	}
	if err == nil {
		x.copies, err = readCopies(ctx, x.store, x.Header, 0)
	}
	return err
}

// readStarts reads the first commit of each block.
func readStarts(ctx context.Context, from getter, h Header) ([]uint32, error) {
	if h.Blocks == 0 {
		return nil, nil
	}
	data, err := from.Get(ctx, cache.PartKey{Kind: kindStarts})
	if err != nil {
		return nil, err
	}
	var starts []uint32
	var last uint32
	for len(data) > 0 {
		delta, ok := number(&data)
		if !ok {
			return nil, errBlock
		}
		last += uint32(delta)
		starts = append(starts, last)
	}
	if len(starts) != h.Blocks {
		return nil, errBlock
	}
	return starts, nil
}

func encodeStarts(starts []uint32) []byte {
	var out []byte
	var last uint32
	for _, n := range starts {
		out = binary.AppendUvarint(out, uint64(n-last))
		last = n
	}
	return out
}

// blocksOf returns the first and the last block that may have records of a commit.
func (x *Index) blocksOf(commit uint32) (first, last uint32) {
	from, _ := slices.BinarySearch(x.starts, commit)
	to, _ := slices.BinarySearch(x.starts, commit+1)
	return uint32(max(from-1, 0)), uint32(max(to-1, 0))
}

// Close closes the file.
func (x *Index) Close() error { return x.store.Close() }

// Newer counts the commits of branches and tags that the index lacks.
func (x *Index) Newer(ctx context.Context) (int, error) {
	tips, err := x.repo.Tips(ctx)
	if err != nil || len(tips) == 0 {
		return 0, err
	}
	g := x.graph.clone()
	err = g.extend(ctx, x.repo, tips)
	return g.len() - x.graph.len(), err
}

// Stat reads the header of the index in dir, without reading the repository, and returns
// the size of the index in bytes. Without an index the error is cache.ErrNoIndex.
func Stat(ctx context.Context, dir string) (Header, int64, error) {
	store, err := cache.OpenIndex(ctx, dir)
	if err != nil {
		return Header{}, 0, err
	}
	h, err := readHeader(ctx, store)
	return h, cache.IndexSize(dir), errors.Join(err, store.Close())
}

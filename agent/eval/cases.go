package eval

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// maxCaseLine is the longest line of a case file, in bytes. Crash reports are the longest cases
// known; the largest is under 1 MiB.
const maxCaseLine = 64 << 20

// CaseFile identifies one case file of a report, by its path and its content.
type CaseFile struct {
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Cases      int    `json:"cases"`
	Duplicates int    `json:"duplicates,omitempty"` // number of cases that are also in an earlier file
}

// CaseError is the error for a line of a case file that is not a valid case.
type CaseError struct {
	Path string
	Line int
	Err  error
}

func (e *CaseError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *CaseError) Unwrap() error { return e.Err }

// ReadCaseFiles reads several case files as one set. A case that is also in an
// earlier file is used once and counted as a duplicate. Two different cases with
// the same id are an error. A file may be a pipe; reading stops when ctx ends.
func ReadCaseFiles(ctx context.Context, t Task, paths []string) ([]Case, []CaseFile, error) {
	var cases []Case
	var files []CaseFile
	seen := map[string]Head{}
	for _, path := range paths {
		read, sum, err := readCaseFile(ctx, t, path)
		if err != nil {
			return nil, nil, err
		}
		file := CaseFile{Path: path, SHA256: sum, Cases: len(read)}
		for _, c := range read {
			h := c.Head()
			if old, ok := seen[h.ID]; ok {
				if !old.asksSame(h) {
					return nil, nil, fmt.Errorf(
						"%s: case %q asks about another %s than the case with the same id in %s",
						path,
						h.ID,
						t.Sheet().Asked,
						old.File,
					)
				}
				file.Duplicates++
				continue
			}
			seen[h.ID] = h
			cases = append(cases, c)
		}
		files = append(files, file)
	}
	return cases, files, nil
}

func readCaseFile(ctx context.Context, t Task, path string) ([]Case, string, error) {
	f, err := disk.Named(ctx, path, os.O_RDONLY, 0)
	if err != nil {
		return nil, "", fmt.Errorf("read cases: %w", err)
	}
	defer f.Close() // the file is only read, so an error here loses nothing
	sum := sha256.New()
	cases, err := readCases(t, path, io.TeeReader(f, sum))
	return cases, hex.EncodeToString(sum.Sum(nil)), err
}

// asksSame reports whether two cases with the same id ask the same question.
func (h Head) asksSame(other Head) bool { return h.Repo == other.Repo && h.Question == other.Question }

// readCases reads one case from each line. It skips blank lines and returns a
// *CaseError at the first line that is not a valid case.
func readCases(t Task, path string, r io.Reader) ([]Case, error) {
	var cases []Case
	seen := map[string]int{}
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 64<<10), maxCaseLine)
	line := 0
	for scan.Scan() {
		line++
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		c, err := t.ReadCase(scan.Bytes(), filepath.Base(path))
		if err != nil {
			return nil, &CaseError{path, line, err}
		}
		id := c.Head().ID
		if first, ok := seen[id]; ok {
			return nil, &CaseError{path, line, fmt.Errorf("case %q is also on line %d", id, first)}
		}
		seen[id] = line
		cases = append(cases, c)
	}
	if err := scan.Err(); err != nil {
		return nil, &CaseError{path, line + 1, err}
	}
	return cases, nil
}

// CheckRepoName returns an error if a path made from name would leave the folder of repositories.
func CheckRepoName(name string) error {
	if name == "" {
		return errors.New(`the field "repo" is missing`)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf(`the field "repo" is %q, not owner/name`, name)
	}
	return nil
}

// ParseOIDs replaces the object ids in a field of a case by their usual form.
func ParseOIDs(field string, oids ...*gitext.OID) error {
	for _, oid := range oids {
		parsed, err := gitext.ParseOID(string(*oid))
		if err != nil {
			return fmt.Errorf("the field %q: %w", field, err)
		}
		*oid = parsed
	}
	return nil
}

// ParseOIDList is ParseOIDs for a list.
func ParseOIDList(field string, oids []gitext.OID) error {
	for i := range oids {
		if err := ParseOIDs(field, &oids[i]); err != nil {
			return err
		}
	}
	return nil
}

// Sample returns a fixed sample of n cases in their original order, or all cases if n is 0. A
// smaller sample is always part of a larger one. A sample is spread over the repositories, while
// the first n lines of a file would come from one or two.
func Sample(cases []Case, n int) []Case {
	if n <= 0 || n >= len(cases) {
		return cases
	}
	rank := make(map[string][sha256.Size]byte, len(cases))
	for _, c := range cases {
		id := c.Head().ID
		rank[id] = sha256.Sum256([]byte(id))
	}
	order := slices.Clone(cases)
	slices.SortFunc(order, func(a, b Case) int {
		x, y := rank[a.Head().ID], rank[b.Head().ID]
		return bytes.Compare(x[:], y[:])
	})
	chosen := map[string]bool{}
	for _, c := range order[:n] {
		chosen[c.Head().ID] = true
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !chosen[c.Head().ID] })
}

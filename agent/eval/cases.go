package eval

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext"
)

// maxCaseLine bounds one line of a case file. Crash reports are the longest
// cases known; the largest is under 1 MiB.
const maxCaseLine = 64 << 20

// Case is one fix with its known bug-introducing commits. Fields of the file
// that are not named here are ignored.
type Case struct {
	ID          string                      `json:"id"`
	Repo        string                      `json:"repo"`
	Mirror      string                      `json:"mirror,omitempty"` // name of the clone that has the commits
	Fix         gitext.OID                  `json:"fix"`
	BICs        []gitext.OID                `json:"bics"`
	Twins       map[gitext.OID][]gitext.OID `json:"bic_twins,omitempty"` // cherry-picks of a BIC: right answers too
	LabelSource string                      `json:"label_source,omitempty"`
	Ghost       bool                        `json:"ghost,omitempty"`
	CrossFile   bool                        `json:"cross_file,omitempty"`
	Langs       []string                    `json:"langs,omitempty"`
	AgeDays     *float64                    `json:"age_days,omitempty"` // fix minus newest BIC; nil when unknown

	File string `json:"file,omitempty"` // the case file's name without its folder, for the per-file rows
}

// CaseFile says which bytes a report is about.
type CaseFile struct {
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Cases      int    `json:"cases"`
	Duplicates int    `json:"duplicates,omitempty"` // cases that an earlier file already has
}

// CaseError is a line of a case file that is not a case.
type CaseError struct {
	Path string
	Line int
	Err  error
}

func (e *CaseError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *CaseError) Unwrap() error { return e.Err }

// ReadCaseFiles reads several case files as one set. A case that an earlier
// file has already is counted as a duplicate and taken once; two different
// cases with one id are an error. A file may be a pipe; waiting for it ends with
// ctx.
func ReadCaseFiles(ctx context.Context, paths []string) ([]Case, []CaseFile, error) {
	var cases []Case
	var files []CaseFile
	seen := map[string]Case{}
	for _, path := range paths {
		read, sum, err := readCaseFile(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		file := CaseFile{Path: path, SHA256: sum, Cases: len(read)}
		for _, c := range read {
			if old, ok := seen[c.ID]; ok {
				if old.Repo != c.Repo || old.Fix != c.Fix {
					return nil, nil, fmt.Errorf("%s: case %q is another fix than the case of that name in %s", path, c.ID, old.File)
				}
				file.Duplicates++
				continue
			}
			seen[c.ID] = c
			cases = append(cases, c)
		}
		files = append(files, file)
	}
	return cases, files, nil
}

func readCaseFile(ctx context.Context, path string) ([]Case, string, error) {
	f, err := gitext.OpenNamed(ctx, path, os.O_RDONLY, 0)
	if err != nil {
		return nil, "", fmt.Errorf("read cases: %w", err)
	}
	defer f.Close() // only read: nothing can be lost
	sum := sha256.New()
	cases, err := ReadCases(path, io.TeeReader(f, sum))
	return cases, hex.EncodeToString(sum.Sum(nil)), err
}

// ReadCases reads one case per line. Blank lines are skipped; a line that is no
// case ends the reading with a *CaseError.
func ReadCases(path string, r io.Reader) ([]Case, error) {
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
		c, err := parseCase(scan.Bytes())
		if err != nil {
			return nil, &CaseError{path, line, err}
		}
		if first, ok := seen[c.ID]; ok {
			return nil, &CaseError{path, line, fmt.Errorf("case %q is also on line %d", c.ID, first)}
		}
		seen[c.ID] = line
		c.File = filepath.Base(path)
		cases = append(cases, c)
	}
	if err := scan.Err(); err != nil {
		return nil, &CaseError{path, line + 1, err}
	}
	return cases, nil
}

func parseCase(line []byte) (Case, error) {
	var c Case
	if err := json.Unmarshal(line, &c); err != nil {
		return Case{}, err
	}
	if err := checkRepoName(c.Repo); err != nil {
		return Case{}, err
	}
	if c.Fix == "" {
		return Case{}, errors.New(`no "fix"`)
	}
	if len(c.BICs) == 0 {
		return Case{}, errors.New(`no "bics": a case without known answer cannot be evaluated`)
	}
	if err := checkOIDs(&c); err != nil {
		return Case{}, err
	}
	if c.ID == "" {
		c.ID = c.Repo + "@" + c.Fix.Short()
	}
	return c, nil
}

// checkRepoName refuses names that would leave the folder of repositories.
func checkRepoName(name string) error {
	if name == "" {
		return errors.New(`no "repo"`)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf(`"repo" is %q, not owner/name`, name)
	}
	return nil
}

func checkOIDs(c *Case) error {
	var err error
	if c.Fix, err = gitext.ParseOID(string(c.Fix)); err != nil {
		return fmt.Errorf(`"fix": %w`, err)
	}
	for i := range c.BICs {
		if c.BICs[i], err = gitext.ParseOID(string(c.BICs[i])); err != nil {
			return fmt.Errorf(`"bics": %w`, err)
		}
	}
	for bic, twins := range c.Twins {
		for _, twin := range twins {
			if _, err := gitext.ParseOID(string(twin)); err != nil {
				return fmt.Errorf(`"bic_twins" of %s: %w`, bic, err)
			}
		}
	}
	return nil
}

// Sample returns a fixed sample of n cases, in their order; n = 0 is all. The
// sample of a smaller n is part of that of a larger one, and it is spread over
// the repositories, where the first n lines of a file would be one or two.
func Sample(cases []Case, n int) []Case {
	if n <= 0 || n >= len(cases) {
		return cases
	}
	rank := make(map[string][sha256.Size]byte, len(cases))
	for _, c := range cases {
		rank[c.ID] = sha256.Sum256([]byte(c.ID))
	}
	order := slices.Clone(cases)
	slices.SortFunc(order, func(a, b Case) int {
		x, y := rank[a.ID], rank[b.ID]
		return bytes.Compare(x[:], y[:])
	})
	chosen := map[string]bool{}
	for _, c := range order[:n] {
		chosen[c.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !chosen[c.ID] })
}

// truth maps every right answer to the BIC that it stands for.
func (c *Case) truth() map[gitext.OID]gitext.OID {
	right := make(map[gitext.OID]gitext.OID, len(c.BICs))
	for _, bic := range c.BICs {
		for _, twin := range c.Twins[bic] {
			right[twin] = bic
		}
	}
	for _, bic := range c.BICs { // last: a BIC stands for itself even if it is another's twin
		right[bic] = bic
	}
	return right
}

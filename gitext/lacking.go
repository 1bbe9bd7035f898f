package gitext

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"git-agent/gitext/gitcmd"
)

// Lacking returns the given objects that this clone lacks, each once. They do not count for
// Missed, because no caller has needed them yet.
func (r *Repo) Lacking(ctx context.Context, oids []OID) ([]OID, error) {
	var lacking []OID
	seen := map[OID]bool{"": true}
	for _, oid := range oids {
		if seen[oid] || oid.zero() || oid.valid() != nil {
			continue
		}
		seen[oid] = true
		switch _, err := r.objs.Info(ctx, string(oid)); {
		case errors.Is(err, gitcmd.ErrMissing):
			lacking = append(lacking, oid)
		case err != nil:
			return nil, err
		}
	}
	return lacking, nil
}

// LackingVersions lists up to max missing objects of this clone: blobs of any version of the
// files at the paths, in the history of rev. For a clone without trees, the error is
// a *MissingObjectError. A path with a line break is ignored.
func (r *Repo) LackingVersions(ctx context.Context, rev OID, paths []string, max int) ([]OID, error) {
	if err := rev.valid(); err != nil {
		return nil, err
	}
	input := &strings.Builder{}
	input.WriteString(string(rev) + "\n--\n")
	asked := false
	for _, path := range paths {
		if checkPaths([]string{path}) == nil && !strings.ContainsAny(path, "\n\r") {
			input.WriteString(path + "\n")
			asked = true
		}
	}
	if !asked {
		return nil, nil // without a path, rev-list would list every object
	}
	return r.lackingOf(ctx, rev, input.String(), max)
}

// LackingFiles lists up to max missing objects of this clone: blobs of the files of rev below
// path, or of all its files if path is "".
func (r *Repo) LackingFiles(ctx context.Context, rev OID, path string, max int) ([]OID, error) {
	if err := rev.valid(); err != nil {
		return nil, err
	}
	input := string(rev) + "\n"
	if path != "" {
		if err := checkPaths([]string{path}); err != nil || strings.ContainsAny(path, "\n\r") {
			return nil, err
		}
		input += "--\n" + path + "\n"
	}
	return r.lackingOf(ctx, rev, input, max, "--no-walk")
}

// lackingOf lists the missing objects that rev-list finds from its input.
func (r *Repo) lackingOf(ctx context.Context, rev OID, input string, max int, options ...string) ([]OID, error) {
	var lacking []OID
	err := r.shadow.Stream(ctx, gitcmd.Call{
		Args:  append([]string{"rev-list", "--objects", "--missing=print", "--stdin"}, options...),
		Stdin: strings.NewReader(input),
	}, func(out *bufio.Reader) error {
		lines := gitcmd.NewLineReader(out)
		for len(lacking) < max {
			line, err := lines.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			name, missing := strings.CutPrefix(string(line), "?")
			if oid, err := ParseOID(name); missing && err == nil {
				lacking = append(lacking, oid)
			}
		}
		return gitcmd.ErrStop
	})
	if err != nil {
		return nil, r.explain(ctx, err, rev)
	}
	return lacking, nil
}

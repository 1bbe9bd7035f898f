package suspect

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"git-agent/gitext"
)

// IgnoreFile is a project's list of commits that blame ignores. Tools that show blame
// read it by convention.
const IgnoreFile = ".git-blame-ignore-revs"

const (
	maxIgnored     = 300
	maxIgnoreBytes = 2 << 20
)

// IgnoredRevs returns the commits in the project's ignore file at commit that exist in
// the repository. A missing or unreadable file lists none.
func IgnoredRevs(ctx context.Context, repo *gitext.Repo, commit gitext.OID) ([]gitext.OID, error) {
	text, err := repo.BlobAt(ctx, commit, IgnoreFile, maxIgnoreBytes)
	if gitext.Unreadable(err) || errors.Is(err, gitext.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []gitext.OID
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		oid, err := gitext.ParseOID(string(bytes.TrimSpace(line)))
		if err != nil || len(out) == maxIgnored || slices.Contains(out, oid) {
			continue
		}
		if _, err := repo.Commit(ctx, oid); err == nil {
			out = append(out, oid)
		}
	}
	return out, ctx.Err()
}

package eval

import (
	"context"
	"errors"
	"path/filepath"

	"git-agent/gitext"
)

// fewCases is the largest number of cases for which changed-path filters are not worth building.
// Measurements in gitext show that they pay from the fourth blame on, and a case takes a few
// blames.
const fewCases = 4

// Opening configures the opening of repositories.
type Opening struct {
	Locate func(commonDir string) string                          // returns the folder of a clone's shadow, see gitext
	Index  func(context.Context, *gitext.Repo) gitext.ChangeIndex // opens the index of changed lines, or starts its build; nil for none
}

// OpenRepository opens the repository in dir for a number of cases.
func OpenRepository(ctx context.Context, dir string, cases int, how Opening) (*gitext.Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	opt := gitext.OpenOptions{Dir: dir, Locate: how.Locate, Index: how.Index}
	if cases > fewCases {
		opt.Bloom = gitext.BloomBuild
	}
	repo, err := gitext.Open(ctx, opt)
	if err == nil {
		repo.HasIndex(ctx) // starts the build in the background
	}
	return repo, err
}

// Absent returns the commits that a repository lacks.
func Absent(ctx context.Context, repo *gitext.Repo, commits ...gitext.OID) ([]gitext.OID, error) {
	var absent []gitext.OID
	for _, oid := range commits {
		_, err := repo.Commit(ctx, oid)
		switch {
		case err == nil:
		case errors.As(err, new(*gitext.MissingObjectError)) || errors.Is(err, gitext.ErrNotExist):
			absent = append(absent, oid)
		default:
			return nil, err
		}
	}
	return absent, nil
}

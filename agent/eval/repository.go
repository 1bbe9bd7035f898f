package eval

import (
	"context"
	"errors"
	"path/filepath"

	"git-agent/gitext"
)

// fewCases is the number of cases up to which changed-path filters are not worth
// building. Measurements in gitext show that they pay from the fourth blame on, and
// a case takes a few blames.
const fewCases = 4

// OpenRepository opens the repository in dir for a number of cases. Locate returns
// the folder of a clone's shadow, see gitext.
func OpenRepository(ctx context.Context, dir string, cases int, locate func(commonDir string) string) (*gitext.Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	opt := gitext.OpenOptions{Dir: dir, Locate: locate}
	if cases > fewCases {
		opt.Bloom = gitext.BloomBuild
	}
	return gitext.Open(ctx, opt)
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

package localize

import (
	"context"
	"errors"

	"git-agent/gitext"
)

// readSources reads the source files of the tree, or those that matter if it is
// large.
func (s *search) readTests(ctx context.Context) error {
	for i, p := range s.files.paths {
		if i == maxFiles {
			break
		}
		if _, err := s.files.get(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func notThere(err error) bool { return errors.Is(err, gitext.ErrNotExist) }

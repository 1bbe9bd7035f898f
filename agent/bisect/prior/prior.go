// Package prior is a placeholder.
package prior

import (
	"context"

	"git-agent/gitext"
)

type Evidence struct {
	Command string
	Output  []byte
	Opened  map[string]bool
	Laid    map[string][]byte
}

func Weights(ctx context.Context, repo *gitext.Repo, bad gitext.OID, commits []gitext.OID, ev Evidence) ([]float64, error) {
	w := make([]float64, len(commits))
	for i := range w {
		w[i] = 1 / float64(len(w))
	}
	return w, nil
}

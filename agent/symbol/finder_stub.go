package symbol

import (
	"context"

	"git-agent/agent/source"
	"git-agent/gitext"
)

type Place struct {
	Path string
	Line int
}
type Options struct{ Server bool }
type Found struct {
	Definitions []Definition
	Used        Place
	By          string
	More        int
	Notes       []string
}
type Finder struct {
	repo   *gitext.Repo
	commit gitext.OID
}

func NewFinder(repo *gitext.Repo, commit gitext.OID, opt Options) *Finder {
	return &Finder{repo, commit}
}
func (f *Finder) Close() error { return nil }
func (f *Finder) Lookup(ctx context.Context, name string, at Place) (Found, error) {
	name = source.LastName(name)
	m, err := Find(ctx, f.repo, f.commit, []string{name})
	list := m[name]
	more := max(0, len(list)-5)
	return Found{Definitions: list[:len(list)-more], More: more, By: "git grep"}, err
}

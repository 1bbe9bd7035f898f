package rank

import (
	"context"
	"time"

	"git-agent/gitext"
)

// Limits on the history that is read for one report.
const (
	pastSpan  = 2 * 365 * 24 * time.Hour
	pastDepth = 2000 // commits
	pastFiles = 40   // files of the report
	stale     = 800  // days since the last change of a file that did not change in the span
)

// A past is the recent history of the files of a report: the commits that changed some of them,
// newest first.
type past struct {
	at      time.Time // of the commit that crashed
	commits []pastCommit
}

type pastCommit struct {
	oid   gitext.OID
	time  time.Time
	paths []string // of the report
}

// pastOf reads the history of files up to a commit. It finds no renames. If commits cannot be read,
// it returns the others and an error for which gitext.Unreadable is true.
func pastOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files []*evidence) (*past, error) {
	if len(files) == 0 {
		return &past{}, nil
	}
	at, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	p := &past{at: at.Committer.Time}
	var paths []string
	for _, e := range files[:min(len(files), pastFiles)] {
		paths = append(paths, e.path)
	}
	opt := gitext.LogOptions{
		Tip: commit, Paths: paths, NoMerges: true, Since: p.at.Add(-pastSpan), Max: pastDepth, Files: true, NoRenames: true, MaxFiles: pastFiles,
	}
	for entry, err := range repo.Log(ctx, opt) {
		if err != nil {
			if gitext.Unreadable(err) {
				return p, err
			}
			return nil, err
		}
		c := pastCommit{oid: entry.OID, time: entry.CommitTime}
		for _, f := range entry.Files {
			c.paths = append(c.paths, f.NewPath)
		}
		p.commits = append(p.commits, c)
	}
	return p, nil
}

// markAges records on the evidence how long ago each file changed.
func (p *past) markAges(files []*evidence) {
	e := evidenceOf(files)
	for _, f := range files[:min(len(files), pastFiles)] {
		f.age, f.dated = stale, true
		if f.added {
			f.age = 0
		}
	}
	for _, c := range p.commits {
		for _, path := range c.paths {
			if f := e[path]; f != nil {
				f.age = min(f.age, max(0, int(p.at.Sub(c.time)/(24*time.Hour))))
			}
		}
	}
}

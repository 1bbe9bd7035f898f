package store

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"git-agent/agent"
	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
)

// fileStats describes one file, in the form of cache stats --json.
type fileStats struct {
	Schema  string      `json:"schema"`
	File    string      `json:"file"` // cache or traces
	Path    string      `json:"path"`
	Bytes   int64       `json:"bytes"`
	Limit   int64       `json:"limit,omitempty"`
	Runs    int64       `json:"runs,omitempty"`
	Entries int64       `json:"entries"`
	Oldest  *time.Time  `json:"oldest,omitempty"` // last use of an answer, start of a run
	Newest  *time.Time  `json:"newest,omitempty"`
	Kinds   []kindStats `json:"kinds"`
	Aside   []string    `json:"set_aside"`
}

type kindStats struct {
	Kind    string `json:"kind"`
	Entries int64  `json:"entries"`
	Bytes   int64  `json:"bytes"`
	Stored  int64  `json:"stored_bytes"`
}

func newFileStats(file string, s cache.Stats) fileStats {
	f := fileStats{
		Schema: statsSchema, File: file, Path: s.Path, Bytes: s.Bytes, Limit: s.Limit,
		Runs: s.Runs, Entries: s.Entries, Kinds: []kindStats{}, Aside: append([]string{}, s.Aside...),
	}
	if !s.Newest.IsZero() {
		f.Oldest, f.Newest = &s.Oldest, &s.Newest
	}
	for _, k := range s.Kinds {
		f.Kinds = append(f.Kinds, kindStats{k.Kind, k.Entries, k.Size, k.Stored})
	}
	return f
}

func (v *Cache) printStats(f fileStats) error {
	if v.JSON {
		return render.WriteJSON(v.Stdout, f, "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, ", ui.Printable(f.Path), ui.Size(f.Bytes))
	if f.File == "cache" {
		fmt.Fprintf(&b, "at most %s, %s\n", ui.Size(f.Limit), agent.Plural(int(f.Entries), "answer"))
	} else {
		fmt.Fprintf(&b, "%s, %s\n", agent.Plural(int(f.Runs), "run"), agent.Plural(int(f.Entries), "step"))
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, k := range f.Kinds {
		fmt.Fprintf(table, "    %s\t%d\t%s\tcompressed to %s\n", ui.Printable(k.Kind), k.Entries, ui.Size(k.Bytes), ui.Size(k.Stored))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, name := range f.Aside {
		fmt.Fprintf(&b, "    set aside: %s\n", ui.Printable(name))
	}
	_, err := v.Stdout.Write([]byte(b.String()))
	return err
}

// verified describes one verified file, in the form of cache verify --json.
type verified struct {
	Schema   string   `json:"schema"`
	File     string   `json:"file"`
	Path     string   `json:"path"`
	Entries  int64    `json:"entries"`
	Damaged  int64    `json:"damaged"`
	Problems []string `json:"problems"`
}

func (v *Cache) printReport(file string, r cache.Report) error {
	if v.JSON {
		return render.WriteJSON(v.Stdout, verified{verifySchema, file, r.Path, r.Entries, r.Damaged, append([]string{}, r.Problems...)}, "\n")
	}
	what := "answer"
	if file == "traces" {
		what = "step"
	}
	read := agent.Plural(int(r.Entries), what)
	var err error
	switch {
	case len(r.Problems) > 0:
		_, err = fmt.Fprintf(v.Stdout, "%s: damaged (%s read)\n    %s\n", ui.Printable(r.Path), read,
			strings.ReplaceAll(ui.Printable(strings.Join(r.Problems, "\n")), "\n", "\n    "))
	case !v.Quiet:
		_, err = fmt.Fprintf(v.Stdout, "%s: %s, all sound\n", ui.Printable(r.Path), read)
	}
	return err
}

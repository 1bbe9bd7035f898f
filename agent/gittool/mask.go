package gittool

import "git-agent/gitext"

// Redactor rewrites texts of people, messages and lines of files, before anyone sees
// them. It does not apply to hashes and titles of commits that the tools print
// themselves. Its zero value changes nothing. Name identifies the effect of Text, for
// cache keys.
type Redactor struct {
	Name string
	Text func(string) string
}

func (r Redactor) apply(s string) string {
	if r.Text == nil {
		return s
	}
	return r.Text(s)
}

// patch rewrites the lines of a patch and the headings of its hunks, in place.
func (r Redactor) patch(p *gitext.Patch) {
	if r.Text == nil || p == nil {
		return
	}
	for _, f := range p.Files {
		for i := range f.Hunks {
			h := &f.Hunks[i]
			h.Section = r.Text(h.Section)
			for j := range h.Lines {
				h.Lines[j].Text = []byte(r.Text(string(h.Lines[j].Text)))
			}
		}
	}
}

// hunks rewrites the lines of hunks, in place.
func (r Redactor) hunks(list []Hunk) []Hunk {
	if r.Text == nil {
		return list
	}
	for _, h := range list {
		for i, l := range h.Lines {
			h.Lines[i] = l[:1] + r.Text(l[1:])
		}
	}
	return list
}

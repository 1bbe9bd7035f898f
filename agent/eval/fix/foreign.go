package fixeval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// other is the engine of another program's answers.
const other Engine = "other"

// A foreignAnswer is a line of a file with the answers of another program.
type foreignAnswer struct {
	Patches   []string       `json:"patches"`   // unified diffs against the base, best first
	Locations []foreignPlace `json:"locations"` // suspected functions, best first
}

// A foreignPlace is some lines of a file, written as path:line or path:first-last.
type foreignPlace struct{ fix.Location }

func (p *foreignPlace) UnmarshalJSON(data []byte) error {
	text := ""
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	bad := fmt.Errorf(`the field "locations": %q is neither path:line nor path:first-last`, text)
	at := strings.LastIndexByte(text, ':')
	if at < 1 {
		return bad
	}
	first, last, ranged := strings.Cut(text[at+1:], "-")
	if !ranged {
		last = first
	}
	start, err1 := strconv.Atoi(first)
	end, err2 := strconv.Atoi(last)
	if errors.Join(err1, err2) != nil || start < 1 || end < start {
		return bad
	}
	p.Location = fix.Location{Path: path.Clean(text[:at]), Lines: gitext.LineRange{Start: start, End: end}}
	return nil
}

// CheckForeign returns an error if a line of another program's answers cannot be read.
func CheckForeign(line json.RawMessage) error {
	_, err := readForeign(line)
	return err
}

// readForeign reads the answer of another program to one case. Without a line, the answer has no
// patch and no location.
func readForeign(line json.RawMessage) (foreignAnswer, error) {
	var a foreignAnswer
	if line == nil {
		return a, nil
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, err
	}
	if a.Patches == nil && a.Locations == nil {
		return a, errors.New(`both "patches" and "locations" are missing; an answer that has none has an empty list`)
	}
	return a, nil
}

// judgeForeign scores the answer of another program to a case. Its patches are judged like
// those of an engine.
func (s *session) judgeForeign(ctx context.Context, p *prepared, from *eval.Foreign) (Prediction, error) {
	a, err := readForeign(from.To(p.c))
	if err != nil {
		return Prediction{}, err
	}
	out := Prediction{
		Engine:   other,
		Claimed:  len(a.Patches),
		Tried:    len(a.Patches),
		Located:  len(a.Locations),
		NoPlaces: !from.Has("locations"),
		Facts:    p.known,
	}
	if !from.Has("patches") {
		out.Engine = Locate
	}
	var places []fix.Location
	for _, l := range a.Locations {
		places = append(places, l.Location)
	}
	out.FunctionRank, out.FileRank = p.truth.ranks(places)
	for i, diff := range a.Patches[:min(s.opt.Patches, len(a.Patches))] {
		judged, err := p.judgeDiff(ctx, fmt.Sprintf("patch %d", i+1), diff)
		if err != nil {
			return out, err
		}
		out.Patches = append(out.Patches, judged)
	}
	return out, nil
}

// judgeDiff judges a patch in the form of a diff against the base.
func (p *prepared) judgeDiff(ctx context.Context, origin, diff string) (Judged, error) {
	if strings.TrimSpace(diff) == "" {
		return Judged{Origin: origin, Verdict: fix.Refused, Reason: "it changes nothing"}, nil
	}
	files, err := p.patched(ctx, diff)
	if ctx.Err() != nil {
		return Judged{}, context.Cause(ctx)
	}
	if err != nil {
		return Judged{Origin: origin, Verdict: fix.Refused, Reason: fmt.Sprintf("it does not apply to the base: %v", err)}, nil
	}
	return p.judge.judge(ctx, fix.Trial{Patch: fix.Patch{Files: files}, Origin: origin})
}

// patched returns the files that a diff changes, in their new form.
func (p *prepared) patched(ctx context.Context, diff string) ([]gitext.Overlay, error) {
	tree, err := p.repo.PatchTree(ctx, p.c.Base, []byte(strings.TrimRight(diff, "\n")+"\n"))
	if err != nil {
		return nil, err
	}
	changes, err := p.repo.Changes(ctx, p.c.Base, tree, gitext.PatchOptions{})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"": true}
	var paths []string
	for _, c := range changes {
		for _, name := range []string{c.OldPath, c.NewPath} {
			if !seen[name] {
				paths, seen[name] = append(paths, name), true
			}
		}
	}
	return filesOf(ctx, p.repo, p.c.Base, tree, paths)
}

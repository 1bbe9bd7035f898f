package culprit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the work for one report.
const (
	maxFiles     = 6
	maxRegions   = 12
	maxFileBytes = 2 << 20
	maxBlamed    = 4000 // lines of all regions
	maxPlaces    = 500  // lines of a file whose functions are looked for
	maxRepeated  = 1000 // places in a region
	window       = 12   // lines on either side of a line outside any function
)

// A region is a function of the project with frames of the report, or the lines around a frame
// outside any function.
type region struct {
	path string
	source.Extent
	function string // as the report names it, maybe ""
	places   []place
	weight   float64 // of its heaviest place, 0 to 1
	lines    []suspect.OwnedLine
	hits     []*hit // of all owners, by their first lines
}

// A place is the position of a frame in the source.
type place struct {
	ref      crash.FrameRef
	line     int // 0 if the report names only the function
	at       int // line, or else the line of the function's heading
	position int // number of frames of the project before it in its stack
	weight   float64
}

// Weights of stacks other than the main one, and of each step down a stack.
const (
	laterStack = 0.4
	freeStack  = 0.9
	stepDown   = 0.8
)

// placesOf returns the places of a report by file. share is the weight of each file, from 0 to 1.
// Frames of run-time libraries have no place.
func placesOf(report *crash.Report, share map[string]float64) map[string][]place {
	out := map[string][]place{}
	main := mainStack(report)
	for i, s := range report.Stacks {
		position := 0
		for j, f := range s.Frames {
			if f.Path == "" || share[f.Path] == 0 || locate.Foreign(f) && f.Function != "main" {
				continue
			}
			p := place{ref: crash.FrameRef{Stack: i, Frame: j}, line: f.LineAt(), at: f.LineAt(), position: position}
			if p.at == 0 {
				p.at = f.DefinedAt
			}
			if p.at > 0 {
				p.weight = share[f.Path] * math.Pow(stepDown, float64(position)) * stackWeight(s, i == main)
				out[f.Path] = append(out[f.Path], p)
			}
			if !f.Assertion {
				position++
			}
		}
	}
	return out
}

// mainStack returns the first stack of the crash with a frame of the project, or -1.
func mainStack(report *crash.Report) int {
	return slices.IndexFunc(report.Stacks, func(s crash.Stack) bool {
		return s.Kind == crash.StackCrash && slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path != "" && !f.Assertion })
	})
}

func stackWeight(s crash.Stack, main bool) float64 {
	switch {
	case main, len(s.Frames) > 0 && s.Frames[0].Assertion:
		return 1
	case s.Kind == crash.StackFree, s.Kind == crash.StackOrigin, s.Kind == crash.StackException:
		return freeStack
	}
	return laterStack
}

// shares returns the weights of the first files of a ranking; the first has weight 1.
func shares(files []crash.File) map[string]float64 {
	out := map[string]float64{}
	for _, f := range files {
		if f.Related || len(f.Frames) == 0 || len(out) == maxFiles || files[0].Score <= 0 {
			continue
		}
		out[f.Path] = max(f.Score/files[0].Score, 0.02)
	}
	return out
}

// regionsOf returns the functions with frames of a report, the heaviest first, and sentences
// about unreadable files.
func regionsOf(
	ctx context.Context,
	repo *gitext.Repo,
	commit gitext.OID,
	report *crash.Report,
	files []crash.File,
) (out []*region, unread []string, err error) {
	places := placesOf(report, shares(files))
	for _, f := range files { // not over the map, whose order varies
		if len(places[f.Path]) == 0 {
			continue
		}
		blob, err := repo.BlobAt(ctx, commit, f.Path, maxFileBytes)
		if errors.Is(err, gitext.ErrNotExist) {
			continue
		}
		if gitext.Unreadable(err) {
			unread = append(unread, fmt.Sprintf("%q was not traced: %s", suspect.ShortPath(f.Path), gitext.WhyUnread(err)))
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, regionsIn(f.Path, source.SplitLines(blob), places[f.Path], report)...)
	}
	slices.SortStableFunc(out, func(a, b *region) int { return cmp.Compare(b.weight, a.weight) })
	return bounded(out), unread, nil
}

// bounded returns the first regions that blame can process in bounded time.
func bounded(regions []*region) []*region {
	lines := 0
	for i, r := range regions {
		if lines += r.End - r.Start + 1; i == maxRegions || lines > maxBlamed && i > 0 {
			return regions[:i]
		}
	}
	return regions
}

// regionsIn returns the functions of one file that contain places.
func regionsIn(path string, lines [][]byte, places []place, report *crash.Report) []*region {
	var out []*region
	extents := map[int]source.Extent{}
	for _, p := range places {
		if p.at > len(lines) {
			continue
		}
		e, known := extents[p.at]
		if !known {
			if len(extents) == maxPlaces {
				continue
			}
			e = extentAt(path, lines, p.at)
			extents[p.at] = e
		}
		i := slices.IndexFunc(out, func(r *region) bool { return r.Start <= e.End && e.Start <= r.End })
		if i < 0 {
			i = len(out)
			out = append(out, &region{path: path, Extent: e})
		}
		r := out[i]
		if e.Start < r.Start || e.End > r.End { // one function is in the other
			r.Start, r.Body, r.End = min(r.Start, e.Start), min(r.Body, e.Body), max(r.End, e.End)
			r.function = ""
		}
		if r.function == "" && !known {
			r.function = headed(path, lines, r.Extent, p.at, report.At(p.ref).Function)
		}
		if len(r.places) < maxRepeated {
			r.places = append(r.places, p)
		}
		r.weight = max(r.weight, p.weight)
	}
	return out
}

// headed returns the last part of a function's name if the heading of the function around a line has
// it, else "": a report of another version names functions that are elsewhere.
func headed(path string, lines [][]byte, e source.Extent, at int, function string) string {
	name := symbol.Last(function)
	if _, ok := source.FunctionAround(path, lines, at); !ok || name == "" {
		return ""
	}
	for _, l := range lines[max(e.Start, 1)-1 : min(max(e.Body, e.Start), len(lines))] {
		if source.WordIndex(string(l), name) >= 0 {
			return name
		}
	}
	return ""
}

// extentAt returns the function around a line, or else the lines close to it.
func extentAt(path string, lines [][]byte, at int) source.Extent {
	e, ok := source.FunctionAround(path, lines, at)
	if !ok {
		e = source.Extent{Start: max(at-window, 1), Body: at, End: min(at+window, len(lines))}
	}
	return narrowed(e, at)
}

// maxRegion is the most lines of a function, around a frame's line, that are blamed.
const maxRegion = 1200

// narrowed shortens an extent that is too long to the lines around a line.
func narrowed(e source.Extent, at int) source.Extent {
	if e.End-e.Start >= maxRegion {
		e.Start, e.End = max(e.Start, at-maxRegion/2), min(e.End, at+maxRegion/2)
	}
	return e
}

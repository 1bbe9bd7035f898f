package input

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
)

// A knownCase is the part of an evaluation case that groups need.
type knownCase struct {
	Repo, Fix, Report string
	read              *crash.Report
}

// knownCases reads the cases of the file in GIT_AGENT_CRASH_CASES, by repository. Without the
// variable there is nothing to measure.
func knownCases(t *testing.T) map[string][]knownCase {
	t.Helper()
	name := os.Getenv("GIT_AGENT_CRASH_CASES")
	if name == "" {
		t.Skip("GIT_AGENT_CRASH_CASES is not set")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byRepo := map[string][]knownCase{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var c knownCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.read, err = format.Read(strings.NewReader(c.Report)); err != nil {
			t.Logf("%s %s: %v", c.Repo, c.Fix, err)
			continue
		}
		byRepo[c.Repo] = append(byRepo[c.Repo], c)
	}
	return byRepo
}

// scores counts pairs of reports.
type scores struct{ same, grouped, both int }

func (s *scores) count(t *testing.T, signatures []Signature, one func(i, j int) bool) {
	at := map[int]int{}
	for g, group := range groups(signatures) {
		for _, m := range group.Members {
			at[m] = g
		}
	}
	for i := range signatures {
		for j := range i {
			together, same := at[i] == at[j], one(i, j)
			if same {
				s.same++
			}
			if together {
				s.grouped++
			}
			if together && same {
				s.both++
			}
			if together != same && testing.Verbose() {
				t.Logf("together %t, same %t, similarity %.2f\n  %v\n  %v", together, same, similarity(signatures[i], signatures[j]), signatures[i].Names, signatures[j].Names)
			}
		}
	}
}

func (s scores) log(t *testing.T, what string) {
	t.Logf("%s: %d pairs belong together, %d are in one group, %d of them rightly: precision %.3f, recall %.3f",
		what, s.same, s.grouped, s.both, float64(s.both)/float64(s.grouped), float64(s.both)/float64(s.same))
}

// This test measures pairwise precision and recall if two reports of one repository belong
// together when one commit fixed both.
func TestMeasureFixes(t *testing.T) {
	var all scores
	for _, cases := range knownCases(t) {
		signatures := make([]Signature, len(cases))
		for i, c := range cases {
			signatures[i] = SignatureOf(c.read)
		}
		all.count(t, signatures, func(i, j int) bool { return cases[i].Fix == cases[j].Fix })
	}
	all.log(t, "one fix")
}

// This test measures pairwise precision and recall after adding, for each report, three versions
// from other builds of the program: with other lines and addresses, with a frame less because a
// function was inlined, and with a cut-off stack.
func TestMeasureVersions(t *testing.T) {
	var all scores
	random := rand.New(rand.NewPCG(1, 2))
	for _, cases := range knownCases(t) {
		var signatures []Signature
		var of []string
		for _, c := range cases {
			for version := range 4 {
				signatures = append(signatures, SignatureOf(otherVersion(c.read, version, random)))
				of = append(of, strings.Join(SignatureOf(c.read).Names, "\n"))
			}
		}
		all.count(t, signatures, func(i, j int) bool { return of[i] == of[j] })
	}
	all.log(t, "versions")
}

// otherVersion returns a report as another version of the program would print it.
func otherVersion(r *crash.Report, version int, random *rand.Rand) *crash.Report {
	out := *r
	out.Stacks = nil
	for _, s := range r.Stacks {
		frames := append([]crash.Frame{}, s.Frames...)
		for i := range frames {
			if version > 0 && frames[i].Line > 0 {
				frames[i].Line += 1 + random.IntN(40)
			}
		}
		if version == 2 && len(frames) > 3 {
			drop := 1 + random.IntN(min(len(frames)-1, 5))
			frames = append(frames[:drop], frames[drop+1:]...)
		}
		if version == 3 {
			frames = frames[:min(len(frames), 6)]
		}
		s.Frames = frames
		out.Stacks = append(out.Stacks, s)
	}
	return &out
}

package coverage

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// maxSplit bounds the failing programs that are split into their tests.
const maxSplit = 4

// split runs a failing test program again and returns its tests, if the program prints their
// results. Otherwise, or if the program ends differently, it counts as one failing test.
func (m *nativeMeasurement) split(ctx context.Context, p *nativeProcess) ([]*nativeTest, error) {
	if len(p.args) == 0 {
		return []*nativeTest{p.whole()}, nil
	}
	m.progress("coverage: the tests of %s", filepath.Base(p.program))
	script := "cd " + quote(p.cwd) + " || exit\nexec " + words(append([]string{p.program}, p.args[1:]...)) + " </dev/null\n"
	if _, err := m.sh(ctx, nativeFailingTime, script, append(slices.Clone(m.env), "GIT_AGENT_SPLIT=1")...); err != nil {
		return nil, err
	}
	for _, again := range m.take() {
		if again.program != p.program || again.exit != p.exit {
			continue
		}
		if tests := m.piecesOf(again); slices.ContainsFunc(tests, func(t *nativeTest) bool { return t.failed }) {
			return nearNative(tests, m.opt.MaxPassing), nil
		}
	}
	return []*nativeTest{p.whole()}, nil
}

// piecesOf joins the pieces of a process to tests. A piece whose line has no result of a test
// belongs to the next test. The pieces after the last result belong to the test that a signal
// ended, if there is one; otherwise they are dropped.
func (m *nativeMeasurement) piecesOf(p *nativeProcess) []*nativeTest {
	var tests []*nativeTest
	var dirs []string
	seen := map[string]bool{}
	for _, dir := range m.files(p.dir + "/piece-*") {
		dirs = append(dirs, dir)
		name, failed, ok := testVerdict(string(m.profile(dir + "/line")))
		if !ok {
			continue
		}
		if name == "" || !seen[name] {
			tests = append(tests, &nativeTest{failed: failed, dirs: dirs})
		}
		seen[name] = true // a framework names failing tests again at its end
		dirs = nil
	}
	if p.exit >= 128 {
		tests = append(tests, &nativeTest{failed: true, dirs: append(dirs, p.dir+"/rest")})
	}
	return tests
}

// nearNative keeps the failing tests and the passing tests that ran nearest to them.
func nearNative(tests []*nativeTest, most int) []*nativeTest {
	distance := map[*nativeTest]int{}
	var passing, kept []*nativeTest
	for i, t := range tests {
		if t.failed {
			kept = append(kept, t)
			continue
		}
		passing = append(passing, t)
		distance[t] = len(tests)
		for j, other := range tests {
			if other.failed {
				distance[t] = min(distance[t], max(i-j, j-i))
			}
		}
	}
	slices.SortStableFunc(passing, func(a, b *nativeTest) int { return distance[a] - distance[b] })
	return append(kept, passing[:min(len(passing), most)]...)
}

// verdicts match the result lines of test frameworks. The groups are the verdict and the test's
// name; nameFirst gives their order.
var verdicts = []struct {
	line      source.Pattern
	nameFirst bool
}{
	{source.Lazy(`:([A-Za-z_]\w*):(PASS|FAIL)\b`), true},                     // Unity
	{source.Lazy(`^\[\s+(OK|FAILED)\s+\]\s+(\S+)(?:\s+\(.*\))?\s*$`), false}, // GoogleTest, cmocka, utest.h
	{source.Lazy(`^\s*(not ok|ok)\b\s*\d*\s*(?:-\s*)?(.*)$`), false},         // TAP
	{source.Lazy(`^(PASS|FAIL):?\s+(\w\S*)`), false},                         // greatest
	{source.Lazy(`^\s*Test:\s+(.*?)\s*\.\.\.\s*(passed|FAILED)`), true},      // CUnit
}

// testVerdict reads the name of a test and whether it failed. It reports false for a line
// without a result and for a skipped test.
func testVerdict(line string) (name string, failed, ok bool) {
	if upper := strings.ToUpper(line); strings.Contains(upper, "# SKIP") || strings.Contains(upper, "# TOD"+"O") {
		return "", false, false
	}
	for _, v := range verdicts {
		match := v.line().FindStringSubmatch(line)
		if match == nil {
			continue
		}
		word, name := match[1], match[2]
		if v.nameFirst {
			word, name = name, word
		}
		return name, strings.HasPrefix(word, "FAIL") || word == "not ok", true
	}
	return "", false, false
}

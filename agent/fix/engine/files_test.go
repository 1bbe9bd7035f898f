package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"
)

// A guessed command that takes long runs only the files of the failing tests, or only these tests if the files take long,
// too; all tests are the wider ones. A command that the user gave
// stays, and so does one that takes little of the time.
func TestSlowSuiteIsNarrowedToTheFilesOfFailingTests(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("node"); err != nil {
		t.Skip("node is not installed")
	}
	const whole, narrow = "node --test", "node --test test/tax.test.js"
	files := gittest.Files{
		"tax.js": "exports.tax = (n) => n / 10;\n",
		"test/tax.test.js": "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { tax } = require('../tax.js');\n" +
			"test('takes a fifth', () => assert.strictEqual(tax(10), 2));\n",
		"test/slow.test.js": "require('node:test').test('waits', () => new Promise((done) => setTimeout(done, 2200)));\n",
	}
	const slow = "require('node:test').test('waits, too', () => new Promise((done) => setTimeout(done, 2100)));\n"
	const one = "node --test '--test-name-pattern=/(^|> )(takes a fifth)$/' test/tax.test.js"
	for _, c := range []struct {
		wall   time.Duration
		others []fix.Commands
		beside string
		want   string
	}{
		{60 * time.Second, []fix.Commands{}, "", narrow},
		{60 * time.Second, nil, "", whole},
		{time.Hour, []fix.Commands{}, "", whole},
		{60 * time.Second, []fix.Commands{}, slow, one},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel() // most of the time, the tests wait
			files := maps.Clone(files)
			files["test/tax.test.js"] += c.beside
			b := newBench(t, nil)
			h := gittest.New(t)
			b.question.Problem = fix.Problem{Tree: fix.Tree{Commit: h.Commit("tax: take a fifth", files)}, Test: whole, Others: c.others}
			b.Repo, b.Effort.Locate, b.Effort.Wall = h.Open(), true, c.wall
			ans := b.answer()
			if rep := ans.Reproduction; rep.Command != c.want || !slices.Equal(rep.Failing, []string{"takes a fifth"}) {
				t.Errorf("%s: %s, %q failing, %s", c.wall, rep.Command, rep.Failing, strings.Join(ans.Notes, "\n"))
			}
		})
	}
}

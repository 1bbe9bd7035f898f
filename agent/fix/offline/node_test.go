package offline

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const scriptShape = `export function area(kind, n) {
  if (kind === 'square') {
    return n * n;
  }
  if (kind === 'line' && n < 1) {
    return n;
  }
  return 0;
}
`

// runner is a small test runner with the names and the interface of vitest. It reads a file anew
// only if it was told that the file has changed, as vitest's server does.
const runner = `import { pathToFileURL } from 'node:url';

export const parseCLI = (words) => ({ filter: words.slice(2), options: {} });

export async function createVitest() {
  let version = 0;
  const files = [{ result: {} }];
  const run = async () => {
    const { area } = await import(pathToFileURL('shape.mjs').href + '?' + version);
    const tests = { square: area('square', 3) === 9, line: area('line', 1) === 1 };
    const failing = Object.keys(tests).filter((t) => !tests[t]);
    for (const t of failing) console.log(' FAIL  shape.test.mjs > ' + t + '\nAssertionError: area');
    console.log('\n Test Files  ' + (failing.length ? '1 failed' : '1 passed') + ' (1)\n      Tests  ' +
      (failing.length ? failing.length + ' failed | ' : '') + (2 - failing.length) + ' passed (2)');
    files[0].result.state = failing.length ? 'fail' : 'pass';
    return failing.length;
  };
  return {
    state: { getFiles: () => files, getFilepaths: () => ['shape.test.mjs'], getUnhandledErrors: () => [] },
    start: run, rerunFiles: run, invalidateFile: () => version++,
  };
}
`

const runnerProgram = `import { createVitest } from './node.mjs';
process.exit((await (await createVitest()).start()) ? 1 : 0);
`

// Candidates for JavaScript share one process of the test runner, which is started again after the
// endless loop of a candidate.
func TestScriptCandidatesShareAProcess(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("node"); err != nil {
		t.Skip("node is not installed")
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{
		"shape.mjs": scriptShape, "node_modules/vitest/vitest.mjs": runnerProgram, "node_modules/vitest/node.mjs": runner,
		"node_modules/vitest/package.json": `{"name": "vitest", "exports": {"./node": "./node.mjs"}}`,
	})
	found, err := Repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "node node_modules/vitest/vitest.mjs run"},
		Localization: &fix.Localization{Locations: []fix.Location{{
			Path: "shape.mjs", Function: "area", Lines: gitext.LineRange{Start: 1, End: strings.Count(scriptShape, "\n")},
		}}},
		Trial: options(t), Jobs: 1, Budget: Budget{Tries: 90, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	alone := aloneIn(found)
	if len(found.Trials) < 10 || alone > len(found.Trials)/4 || found.Trials[0].Verdict != fix.Plausible {
		t.Errorf("%d of %d candidates had a process of their own: %+v", alone, len(found.Trials), found.Trials[0])
	}
}

package coverage

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

const jsSource = `'use strict';
exports.area = function area(kind, n) {
	switch (kind) {
	case 'square':
		return n * n;
	case 'line':
		return n - 1; // wrong
	}
	return never();
};

function never() {
	return 0;
}
`

// jsRunner is a test runner that emits the events of tape.
const jsRunner = `'use strict';
const { EventEmitter } = require('events');
class Test extends EventEmitter {
	constructor(name, run) {
		super();
		Object.assign(this, { name, run, _progeny: [], assertCount: 0 });
	}
	check(ok) { this.emit('result', { ok }); process.exitCode = process.exitCode || Number(!ok); }
}
exports.test = function (name, run) {
	const t = new Test(name, run);
	t.emit('prerun');
	run(t);
	t.emit('end');
};
`

const jsTests = `const { area } = require('../lib/shape.js');
const { test } = require('./runner.js');
test('holds others', () => {
	test('square', (t) => t.check(area('square', 3) === 9));
	test('line', (t) => t.check(area('line', 1) === 1));
});
test('other', (t) => t.check(area('other', 1) === 0));
`

func jsFiles(tests string) gittest.Files {
	return gittest.Files{"package.json": "{}\n", "lib/shape.js": jsSource, "test/shape.js": tests, "test/runner.js": jsRunner}
}

func TestJavaScriptMeasuresEachTest(t *testing.T) {
	// Each test that asserts something counts. The module's own code, which runs
	// before the tests, is no part of them.
	t.Parallel()
	needProgram(t, "node")
	sp, note := measured(t, jsFiles(jsTests), fix.Problem{Test: "NODE_ENV=test node test/shape.js"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if sp.Failing != 1 || sp.Passing != 2 || len(sp.Files) != 1 {
		t.Errorf("%d failing, %d passing, %d files: %s", sp.Failing, sp.Passing, len(sp.Files), note)
	}
	for text, want := range map[string][2]int{
		"return n - 1": {1, 0}, "switch (kind)": {1, 2}, "return n * n": {0, 1}, "return never": {0, 1}, "return 0": {0, 1}, "use strict": {},
	} {
		if got := hits(t, sp, "lib/shape.js", jsSource, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestJavaScriptMeasuresATestThatThrows(t *testing.T) {
	// An exception ends the process within a test, which fails.
	t.Parallel()
	needProgram(t, "node")
	tests := "const { area } = require('../lib/shape.js');\nconst { test } = require('./runner.js');\n" +
		"test('square', (t) => t.check(area('square', 3) === 9));\ntest('line', () => { area('line', 1); throw new Error('no'); });\n"
	sp, note := measured(t, jsFiles(tests), fix.Problem{Test: "node test/shape.js"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "lib/shape.js", jsSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 1 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestJavaScriptMeasuresProcesses(t *testing.T) {
	// Without a known runner each process is a test. The exit code decides, even if
	// it is chosen at the very end.
	t.Parallel()
	needProgram(t, "node")
	files := jsFiles("process.on('exit', () => { process.exitCode = 1; });\nrequire('../lib/shape.js').area('line', 1);\n")
	files["test/good.js"] = "require('../lib/shape.js').area('square', 1);\n"
	sp, note := measured(t, files, fix.Problem{Test: "node test/good.js; node test/shape.js"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "lib/shape.js", jsSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 1 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestJavaScriptMeasuresTheWholeCommand(t *testing.T) {
	// The command discards NODE_OPTIONS, so that node's own coverage is used.
	t.Parallel()
	needProgram(t, "node")
	sp, note := measured(t, jsFiles("require('../lib/shape.js').area('line', 1);\nprocess.exit(1);\n"),
		fix.Problem{Test: "NODE_OPTIONS= node test/shape.js"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "lib/shape.js", jsSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 0 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestJavaScriptMeasuresNodeTest(t *testing.T) {
	// The tests of node's own runner are distinguished in each of its processes.
	t.Parallel()
	needProgram(t, "node")
	tests := "const { area } = require('../lib/shape.js');\nconst assert = require('assert');\nconst test = require('node:test');\n" +
		"test('square', () => assert.equal(area('square', 3), 9));\ntest('line', () => assert.equal(area('line', 1), 1));\n"
	sp, note := measured(t, jsFiles(tests), fix.Problem{Test: "node --test test/shape.js"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if sp.Passing == 0 {
		t.Skip("this node's runner does not tell its hooks whether a test passed: " + note)
	}
	if got := hits(t, sp, "lib/shape.js", jsSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 1 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

// translated is a script that a translator made of jsTyped. Its source map says that the lines are
// the same but for one line at the top.
const (
	jsTyped = "export function area(kind: string, n: number): number {\n\tif (kind === 'line') {\n\t\treturn n - 1; // wrong\n\t}\n\treturn n * n;\n}\n"
	// The mappings are one segment for each line: the line of the source, counted from the one before.
	translated = "'use strict';\nexports.area = function area(kind, n) {\n\tif (kind === 'line') {\n\t\treturn n - 1;\n\t}\n\treturn n * n;\n};\n" +
		"//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi4uL3NyYy9zaGFwZS50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiO0FBQUE7QUFDQTtBQUNBO0FBQ0E7QUFDQTtBQUNBIn0=\n"
)

func TestJavaScriptReadsSourceMaps(t *testing.T) {
	// A test of vitest and one of jest, in a process each, execute a translated script: their lines
	// are those of the source. Both runners are played by the objects in which they keep the
	// running test. A thread in which vitest runs ends without an exit.
	t.Parallel()
	needProgram(t, "node")
	const vitest = `const { area } = require('../out/shape.js');
const state = {};
Object.defineProperty(globalThis, '__vitest_worker__', { value: state });
for (const [name, n, want] of [['square', 3, 9], ['line', 1, 1]]) {
	const task = { type: 'test', name };
	state.current = task;
	task.result = { state: area(name, n) === want ? 'pass' : 'fail' };
	state.current = undefined;
}
`
	const jest = `const { area } = require('../out/shape.js');
const { TestEnvironment } = require('./jest-environment.js');
const environment = new TestEnvironment();
for (const [name, n, want] of [['square', 3, 9], ['line', 1, 1]]) {
	const test = { name, errors: [], parent: { name: 'ROOT_DESCRIBE_BLOCK' } };
	environment.handleTestEvent({ name: 'test_start', test });
	if (area(name, n) !== want) test.errors.push('wrong');
	environment.handleTestEvent({ name: 'test_done', test });
}
`
	const thread = `const { Worker } = require('worker_threads');
const worker = new Worker(require.resolve('./thread.js'));
worker.on('message', () => worker.terminate().then(() => process.exit(1)));
`
	const end = "process.exit(1);\n"
	for name, tests := range map[string]string{"vitest": vitest + end, "jest": jest + end, "vitest in a thread": thread} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := gittest.Files{
				"package.json": "{}\n", "src/shape.ts": jsTyped, "out/shape.js": translated, "test/a.js": tests,
				"test/thread.js":           vitest + "require('worker_threads').parentPort.postMessage('');\nsetInterval(() => {}, 1000);\n",
				"test/jest-environment.js": "exports.TestEnvironment = class {};\n",
			}
			sp, note := measured(t, files, fix.Problem{Test: "node test/a.js"}, fix.Reproduction{})
			if sp == nil {
				t.Fatal(note)
			}
			if sp.Failing != 1 || sp.Passing != 1 {
				t.Errorf("%d failing, %d passing: %s", sp.Failing, sp.Passing, note)
			}
			for text, want := range map[string][2]int{"return n - 1": {1, 0}, "if (kind": {1, 1}, "return n * n": {0, 1}} {
				if got := hits(t, sp, "src/shape.ts", jsTyped, text); got != want {
					t.Errorf("%q: %d, want %d", text, got, want)
				}
			}
		})
	}
}

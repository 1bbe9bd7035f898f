// This file is loaded into every node process of a test command (NODE_OPTIONS=--require).
// It asks V8 which code runs, and writes one line of JSON for each piece of a test to a
// file in the directory GIT_AGENT_COVERAGE. The lines are:
//   {"test":N,"result":[...]}      what ran, as V8 reports it (ScriptCoverage)
//   {"test":N,"name":S,"ok":B}     a test ended
//   {"script":ID,"shift":N}        the script's text begins N characters after the file's
//   {"script":ID,"other":true}     the script's text is not the file's
// Test 0 is the process itself: what runs outside of tests.
'use strict';
(function () {
	const dir = process.env.GIT_AGENT_COVERAGE;
	const root = process.env.GIT_AGENT_TREE;
	const maxBytes = 48 << 20;
	let inspector;
	try {
		inspector = require('inspector');
	} catch (e) {
		return;
	}
	if (!dir || !root || !inspector.Session) return;
	const fs = require('fs');
	const Module = require('module');
	const writeSync = fs.writeSync;
	const readFileSync = fs.readFileSync;
	const thread = require('worker_threads').threadId || 0;

	const session = new inspector.Session();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

	let file = -1;
	let written = 0;
	function write(record) {
		const line = JSON.stringify(record) + '\n';
		written += line.length;
		if (written > maxBytes) return;
		if (file < 0) file = fs.openSync(dir + '/node-' + process.pid + '-' + thread + '.jsonl', 'a');
		writeSync(file, line);
	}

	// pathOf returns the name of a script's file if it is in the tree, and not in a
	// dependency.
	function pathOf(url) {
		let path = url;
		if (url.startsWith('file://')) {
			try {
				path = decodeURIComponent(url.slice('file://'.length));
			} catch (e) {
				return '';
			}
		}
		return path.startsWith(root + '/') && !path.includes('/node_modules/') ? path : '';
	}

	const scripts = new Map(); // file names by script id
	function take() {
		let report = [];
		session.post('Profiler.takePreciseCoverage', function (err, got) {
			if (!err) report = got.result;
		});
		const kept = [];
		for (const script of report) {
			const path = pathOf(script.url);
			if (!path) continue;
			scripts.set(script.scriptId, path);
			kept.push(script);
		}
		return kept;
	}

	// The tests that run now, the innermost last. The first is the process.
	const running = [{ id: 0, name: '', ok: true }];
	let last = 0;
	const known = new Map(); // running tests by the runner's own object

	// flush writes what ran since the last call as part of the innermost test.
	function flush() {
		const result = take();
		if (result.length > 0) write({ test: running[running.length - 1].id, result: result });
	}

	function begin(key, name) {
		flush();
		const test = { id: ++last, name: String(name), ok: true, asserts: 0 };
		running.push(test);
		known.set(key, test);
		return test;
	}

	function end(key) {
		const test = known.get(key);
		if (!test) return;
		flush();
		known.delete(key);
		running.splice(running.indexOf(test), 1);
		write({ test: test.id, name: test.name, ok: test.ok });
	}

	function fail(key) {
		const test = known.get(key);
		if (test) test.ok = false;
	}

	// tape: lib/test.js defines a test as an event emitter.
	function watchTape(Test) {
		const emit = Test.prototype.emit;
		Test.prototype.emit = function (type, value) {
			if (type === 'prerun' && !this._skip) begin(this, this.name);
			if (type === 'result' && value && typeof value === 'object') {
				const test = known.get(this);
				if (test) test.asserts++;
				if (!value.ok && !value.todo && !value.skip) fail(this);
			}
			if (type === 'end') {
				const test = known.get(this);
				// A test that only holds other tests is none.
				if (test && test.asserts === 0) test.name = '';
				end(this);
			}
			return emit.apply(this, arguments);
		};
	}

	// mocha: lib/runner.js emits an event for each test.
	function watchMocha(Runner) {
		const emit = Runner.prototype.emit;
		Runner.prototype.emit = function (type, test) {
			if (type === 'test') begin(test, test.fullTitle());
			if (type === 'fail') fail(test);
			if (type === 'test end') end(test);
			return emit.apply(this, arguments);
		};
	}

	// node:test: its hooks run around each test of the process.
	let nodeTest = false;
	function watchNodeTest(api) {
		if (nodeTest || !api || !api.beforeEach || !api.afterEach) return;
		nodeTest = true;
		api.beforeEach(function (t) { begin(t.fullName || t.name, t.fullName || t.name); });
		api.afterEach(function (t) {
			if (t.passed === false || t.error) fail(t.fullName || t.name);
			end(t.fullName || t.name);
		});
	}

	const load = Module._load;
	Module._load = function (request, parent) {
		const loaded = load.apply(this, arguments);
		try {
			const from = parent && parent.filename ? parent.filename : '';
			if (request === './lib/test' && /[\\/]tape[\\/]index\.js$/.test(from)) watchTape(loaded);
			if (/(^|[\\/])runner(\.js)?$/.test(request) && /[\\/]mocha[\\/]lib[\\/]/.test(from)) watchMocha(loaded);
			if (request === 'node:test') watchNodeTest(loaded);
		} catch (e) {
			// The runner is not as expected: its tests are measured as one.
		}
		return loaded;
	};

	// compare says for each script where the text of its file begins in the script's.
	function compare() {
		const texts = new Map();
		for (const [id, path] of scripts) {
			let source = null;
			session.post('Debugger.getScriptSource', { scriptId: id }, function (err, got) {
				if (!err) source = got.scriptSource;
			});
			let text = texts.get(path);
			if (text === undefined) {
				try {
					text = readFileSync(path, 'utf8');
				} catch (e) {
					text = null;
				}
				texts.set(path, text);
			}
			if (source === null || source === text) continue;
			const mark = text !== null && text.charCodeAt(0) === 0xfeff ? 1 : 0;
			const at = text === null ? -1 : source.indexOf(text.slice(mark));
			write(at < 0 ? { script: id, other: true } : { script: id, shift: at - mark });
		}
	}

	process.on('exit', function (code) {
		flush();
		for (let i = running.length - 1; i > 0; i--) {
			// A test that did not end, and that did nothing but hold others, is none.
			if (i === running.length - 1 || running[i].asserts > 0) {
				write({ test: running[i].id, name: running[i].name, ok: false });
			}
		}
		if (scripts.size === 0) return;
		session.post('Debugger.enable');
		compare();
		write({ test: 0, name: '', ok: !code });
	});
})();

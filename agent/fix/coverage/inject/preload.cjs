// This file is loaded into every node process of a test command (NODE_OPTIONS=--require).
// It asks V8 which code runs, and writes one line of JSON for each piece of a test to a
// file in the directory GIT_AGENT_COVERAGE. The lines are:
//   {"test":N,"result":[...]}      what ran, as V8 reports it (ScriptCoverage)
//   {"test":N,"name":S,"ok":B}     a test ended
//   {"script":ID,"shift":N}        the script's text begins N characters after the file's
//   {"script":ID,"files":[...],"map":[...]}   a source map: of each three numbers, the script's
//                                  text from the first on is of the line (third) of files[second]
//   {"script":ID,"other":true}     the script's text is not the file's
// Test 0 is the process itself: what runs outside of tests.
'use strict';
(function () {
	const dir = process.env.GIT_AGENT_COVERAGE;
	const root = process.env.GIT_AGENT_TREE;
	const maxBytes = 48 << 20;
	if (!dir || !root) return;
	const fs = require('fs');
	const Module = require('module');
	const writeSync = fs.writeSync;
	const readFileSync = fs.readFileSync;
	const defineProperty = Object.defineProperty;
	const EventEmitter = require('events').EventEmitter;
	const dirname = require('path').dirname;
	const resolvePath = require('path').resolve;
	let thread = 0;
	try {
		thread = require('worker_threads').threadId;
	} catch (e) {
		// An old node has no threads.
	}

	let session;
	try {
		const inspector = require('inspector');
		session = new inspector.Session();
		session.connect();
		session.post('Profiler.enable');
		session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
	} catch (e) {
		return; // this node, or this process of it, has no inspector
	}

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
				path = decodeURIComponent(url.slice('file://'.length).replace(/[?#].*$/, ''));
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
		if (thread > 0) describe(); // a thread may be ended at any time, without an exit
	}

	function fail(key) {
		const test = known.get(key);
		if (test) test.ok = false;
	}

	// A test of tape is an event emitter.
	function tape(test, type, value) {
		if (type === 'prerun' && !test._skip) begin(test, test.name);
		if (type === 'result' && value && typeof value === 'object') {
			const known_ = known.get(test);
			if (known_) known_.asserts++;
			if (!value.ok && !value.todo && !value.skip) fail(test);
		}
		if (type === 'end') {
			const known_ = known.get(test);
			// A test that only holds other tests is none.
			if (known_ && known_.asserts === 0) known_.name = '';
			end(test);
		}
	}

	// The runner of mocha emits an event at the begin and the end of each test.
	function mocha(type, test) {
		if (type === 'test') begin(test, test.fullTitle());
		if (type === 'fail') fail(test);
		if (type === 'test end') end(test);
	}

	// Both are recognised by what they emit, so that it does not matter how they were
	// loaded.
	const emit = EventEmitter.prototype.emit;
	EventEmitter.prototype.emit = function (type, value) {
		switch (type) {
		case 'prerun': case 'result': case 'end':
			if (this._progeny !== undefined && this.assertCount !== undefined) tape(this, type, value);
			break;
		case 'test': case 'fail': case 'test end':
			if (value && typeof value.fullTitle === 'function' && this.suite !== undefined) mocha(type, value);
		}
		return emit.apply(this, arguments);
	};

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

	// A test environment of jest is told of the events of its runner.
	function watchJest(Environment) {
		const handle = Environment.prototype.handleTestEvent;
		Environment.prototype.handleTestEvent = function (event) {
			const test = event.test;
			if (event.name === 'test_start' && test.mode !== 'skip' && test.mode !== 'todo') {
				const names = [];
				for (let t = test; t && t.name !== 'ROOT_DESCRIBE_BLOCK'; t = t.parent) names.unshift(t.name);
				begin(test, names.join(' '));
			}
			if (event.name === 'test_done') {
				if (test.errors.length > 0) fail(test);
				end(test);
			}
			if (handle) return handle.apply(this, arguments);
		};
	}

	// A worker of vitest has the current test, suite or file in its state, which is a global.
	function watchVitest(state) {
		let current = state.current;
		defineProperty(state, 'current', {
			configurable: true,
			enumerable: true,
			get: function () { return current; },
			set: function (task) {
				if (known.has(current) && task !== current) {
					if (current.result && current.result.state === 'fail') fail(current);
					end(current);
				}
				if (task && task.type === 'test' && task !== current) begin(task, task.name);
				current = task;
			},
		});
	}
	Object.defineProperty = function (object, name, as) {
		if (name === '__vitest_worker__' && as && as.value) watchVitest(as.value);
		return defineProperty(object, name, as);
	};

	const load = Module._load;
	const seen = new Set();
	Module._load = function (request) {
		const loaded = load.apply(this, arguments);
		if (request === 'node:test') watchNodeTest(loaded);
		if (request.includes('jest-environment') && loaded && loaded.TestEnvironment && !seen.has(loaded.TestEnvironment)) {
			seen.add(loaded.TestEnvironment);
			watchJest(loaded.TestEnvironment);
		}
		return loaded;
	};
	// Modules that are imported do not pass there.
	if (Module.registerHooks && process.getBuiltinModule) {
		Module.registerHooks({
			resolve: function (specifier, context, next) {
				if (specifier === 'node:test') watchNodeTest(process.getBuiltinModule('node:test'));
				return next(specifier, context);
			},
		});
	}

	// sameShape reports whether a script is a file's text with spaces in place of types,
	// as when node runs TypeScript. The script may end with a line of its own.
	function sameShape(script, text) {
		if (text === null || !/^(\s*\/\/# source[^\n]*)?\s*$/.test(script.slice(text.length))) return false;
		const left = script.slice(0, text.length).split('\n');
		const right = text.split('\n');
		return left.length === right.length && left.every((line, i) => line.length === right[i].length);
	}

	// sourceMap returns the source map that a translator left at the end of a script, inline or in
	// a file beside it.
	function sourceMap(script, path) {
		const at = script.lastIndexOf('//# sourceMappingURL=');
		if (at < 0 || !Module.SourceMap) return null;
		const url = script.slice(at + '//# sourceMappingURL='.length).split(/\s/, 1)[0];
		try {
			const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/.exec(url);
			const json = inline ? Buffer.from(inline[1] ? inline[2] : decodeURIComponent(inline[2]), inline[1] ? 'base64' : 'utf8') :
				readFileSync(resolvePath(dirname(path), decodeURIComponent(url)));
			return new Module.SourceMap(JSON.parse(json.toString()));
		} catch (e) {
			return null;
		}
	}

	// mapped looks up the words of a script in its source map.
	function mapped(script, path, map) {
		const files = [];
		const list = [];
		const words = /[\w$]+/g;
		let offset = 0;
		let file = -1;
		let line = -1;
		script.split('\n').forEach(function (text, i) {
			for (let word; !text.startsWith('//# source') && (word = words.exec(text));) {
				const entry = map.findEntry(i, word.index);
				const known = entry && entry.originalSource !== undefined && entry.generatedLine === i;
				let f = -1;
				if (known) {
					const source = pathOf(entry.originalSource) || resolvePath(dirname(path), map.payload.sourceRoot || '', entry.originalSource);
					if ((f = files.indexOf(source)) < 0) f = files.push(source) - 1;
				}
				const l = known ? entry.originalLine + 1 : 0;
				if (f !== file || l !== line) list.push(offset + word.index, f, l);
				file = f;
				line = l;
			}
			offset += text.length + 1;
		});
		return { files: files, map: list };
	}

	const compared = new Set();

	// describe writes what compare says of the scripts that are new. The debugger stays enabled:
	// without it, V8 forgets the blocks of functions.
	function describe() {
		if (scripts.size === compared.size) return;
		session.post('Debugger.enable');
		compare();
	}

	// compare says for each new script where the text of its file begins in the script's.
	function compare() {
		const texts = new Map();
		for (const [id, path] of scripts) {
			if (compared.has(id)) continue;
			compared.add(id);
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
			if (source === null) continue;
			const map = sourceMap(source, path);
			if (map) {
				write(Object.assign({ script: id, other: source !== text }, mapped(source, path, map)));
				continue;
			}
			if (source === text || sameShape(source, text)) continue;
			const mark = text !== null && text.charCodeAt(0) === 0xfeff ? 1 : 0;
			const at = text === null ? -1 : source.indexOf(text.slice(mark));
			write(at < 0 ? { script: id, other: true } : { script: id, shift: at - mark });
		}
	}

	function finish(code) {
		flush();
		for (let i = running.length - 1; i > 0; i--) {
			// A test that did not end, and that did nothing but hold others, is none.
			if (i === running.length - 1 || running[i].asserts > 0) {
				write({ test: running[i].id, name: running[i].name, ok: false });
			}
		}
		if (scripts.size === 0) return;
		describe();
		write({ test: 0, name: '', ok: !code });
	}

	// The process emits 'exit' last. What listens to it may still run tests, and may
	// choose the exit code or call exit again.
	let finished = false;
	const processEmit = process.emit;
	process.emit = function (type, code) {
		try {
			return processEmit.apply(this, arguments);
		} finally {
			if (type === 'exit' && !finished) {
				finished = true;
				finish(process.exitCode === undefined ? code : process.exitCode);
			}
		}
	};
})();

// This module runs the same tests with many variants of the tree's files, in one process of vitest
// or jest. For each variant it writes the file and lets the runner run the tests again, which
// reads anew only what has changed. Variant 0 is the tree without a change.
//
// It writes to standard output what the runner prints for each variant, between lines that begin
// with GIT_AGENT_MARK. A thread ends the process if the tests do not end in time. A process that ends
// before all are done leaves the file "again", and is started again for the other variants.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const env = process.env;
const tree = env.GIT_AGENT_TREE;
const numbers = (env.GIT_AGENT_VARIANTS || '').split(' ');
const mark = env.GIT_AGENT_MARK;
const most = Number(env.GIT_AGENT_BYTES);
const write = process.stdout.write.bind(process.stdout);
let limit = Number(env.GIT_AGENT_LIMIT) * 1000;

// watch ends the process, and those that it started, if nobody moves its hand in time.
const hand = new Int32Array(new SharedArrayBuffer(8)); // the time left in ms, and whether it counts
function watch() {
	const worker = new Worker(
		`const { workerData: hand } = require('worker_threads');
		const fs = require('fs');
		function end(pid) {
			for (const name of fs.readdirSync('/proc')) {
				if (!/^[0-9]+$/.test(name)) continue;
				try {
					const stat = fs.readFileSync('/proc/' + name + '/stat', 'latin1');
					if (Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === pid) {
						end(Number(name));
						process.kill(Number(name), 'SIGKILL');
					}
				} catch (e) {}
			}
		}
		setInterval(() => {
			if (Atomics.load(hand, 1) && Atomics.sub(hand, 0, 50) <= 0) {
				try { end(process.pid); } catch (e) {}
				process.kill(process.pid, 'SIGKILL');
			}
		}, 50);`,
		{ eval: true, workerData: hand, env: {}, execArgv: [] }
	);
	worker.unref();
}

// print writes the result of a variant.
function print(number, code, text) {
	write('\n' + mark + ' begin ' + number + ' ' + code + '\n' + text + '\n' + mark + ' end\n');
}

// captured runs f and returns what the process prints meanwhile. The end of a long text counts
// more, because it names the failing tests.
async function captured(f) {
	const parts = [];
	const put = (data, encoding, done) => {
		parts.push(typeof data === 'string' ? data : Buffer.from(data).toString());
		const callback = typeof encoding === 'function' ? encoding : done;
		if (typeof callback === 'function') callback();
		return true;
	};
	const out = process.stdout.write;
	const err = process.stderr.write;
	process.stdout.write = put;
	process.stderr.write = put;
	try {
		const failed = await f();
		return [failed, parts.join('')];
	} finally {
		process.stdout.write = out;
		process.stderr.write = err;
	}
}

// restore undoes the change of a variant, which a process that was ended has left.
function restore(dir) {
	const changed = path.join(dir, 'changed');
	if (!fs.existsSync(changed)) return;
	fs.copyFileSync(path.join(dir, 'original'), fs.readFileSync(changed, 'utf8'));
	fs.rmSync(changed);
}

// end returns when no more variants are begun, in seconds: some time after the tests ran without a
// change, and as long after it as this took, if that is longer. A process that is started again goes by
// the same time.
function end(dir) {
	const name = path.join(dir, 'until');
	if (!fs.existsSync(name)) {
		const now = Date.now() / 1000;
		const took = Math.min(now - Number(env.GIT_AGENT_BEGUN), Number(env.GIT_AGENT_MOST));
		fs.writeFileSync(name, String(now + Math.max(Number(env.GIT_AGENT_TIME), took)));
	}
	return Number(fs.readFileSync(name, 'utf8'));
}

// each runs the tests with each variant that was not yet run.
async function each(dir, test) {
	watch();
	restore(dir);
	for (let i = 0; i < numbers.length; i++) {
		const number = numbers[i];
		const begun = path.join(dir, 'begun-' + i);
		const done = path.join(dir, 'done-' + i);
		if (fs.existsSync(done) || (number !== '0' && Date.now() / 1000 >= end(dir))) continue;
		if (fs.existsSync(begun)) {
			print(number, 124, '');
			fs.writeFileSync(done, '');
			continue;
		}
		fs.writeFileSync(begun, '');
		let file = '';
		if (number !== '0') {
			file = path.join(tree, fs.readFileSync(path.join(dir, number + '.path'), 'utf8'));
			fs.copyFileSync(file, path.join(dir, 'original'));
			fs.writeFileSync(path.join(dir, 'changed'), file);
			fs.writeFileSync(file, fs.readFileSync(path.join(dir, number + '.text')));
		}
		Atomics.store(hand, 0, i === 0 ? 60000 : limit);
		Atomics.store(hand, 1, 1);
		const start = Date.now();
		const [failed, text] = await captured(() => test(file)).catch((e) => {
			if (number === '0') throw e; // the runner cannot be called
			return [true, String(e && e.stack)];
		});
		Atomics.store(hand, 1, 0);
		if (number === '0') limit = Math.min(limit, Math.max(1000, 5 * (Date.now() - start)));
		print(number, failed ? 1 : 0, text.slice(-most));
		fs.writeFileSync(done, '');
		if (file) {
			restore(dir);
			if (test.restored) test.restored(file);
		}
	}
}

// vitest keeps one server, which transforms only what has changed.
async function vitest(main, dir) {
	const require = createRequire(main);
	const node = await import(pathToFileURL(require.resolve('vitest/node')));
	const line = node.parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true });
	const options = {
		...line.options, watch: false, run: true, ui: false, coverage: { enabled: false }, reporters: ['default'], outputFile: undefined, typecheck: { enabled: false },
	};
	let server;
	const failures = () => {
		const files = server.state.getFiles();
		return files.length === 0 || files.some((f) => f.result && f.result.state === 'fail') || server.state.getUnhandledErrors().length > 0;
	};
	const changed = (file) => {
		const servers = [server.server, server.vite, ...(server.projects || []).map((p) => p.server || p.vite)];
		for (const s of servers.filter(Boolean)) {
			for (const graph of [s.moduleGraph, ...Object.values(s.environments || {}).map((e) => e.moduleGraph)]) {
				if (graph && graph.onFileChange) graph.onFileChange(file);
			}
		}
		if (server.invalidateFile) server.invalidateFile(file);
		else if (server.invalidates) server.invalidates.add(file);
	};
	const test = async (file) => {
		if (!server) {
			server = await node.createVitest('test', options);
			await server.start(line.filter);
			return failures();
		}
		if (file) changed(file);
		const files = [...new Set(server.state.getFilepaths())];
		await server.rerunFiles(files);
		return failures();
	};
	test.restored = changed;
	await each(dir, test);
}

// jest runs in this process, and keeps what it knows of the tree's files on disk.
async function jest(main, dir) {
	const require = createRequire(main);
	const home = main.includes('jest-cli') ? path.dirname(path.dirname(main)) : path.dirname(require.resolve('jest-cli/package.json'));
	const inner = createRequire(path.join(home, 'package.json'));
	const { runCLI } = inner('@jest/core');
	const build = require(home).buildArgv || require(path.join(home, 'build/cli')).buildArgv;
	await each(dir, async () => {
		const argv = await build(process.argv.slice(2));
		Object.assign(argv, { runInBand: true, watch: false, watchAll: false, coverage: false, reporters: undefined, $0: 'jest' });
		const projects = argv.projects && argv.projects.length ? argv.projects : [process.cwd()];
		const { results } = await runCLI(argv, projects);
		return !results.success;
	});
}

export async function run(runner, main, dir) {
	const again = path.join(dir, 'again');
	fs.writeFileSync(again, '');
	try {
		await (runner === 'vitest' ? vitest : jest)(main, dir);
	} catch (e) {
		write(String(e && e.stack) + '\n');
	}
	fs.rmSync(again);
	// Processes that still work on a test must not keep this one.
	process.exit(0);
}

// This file is loaded into every node process of a test command (NODE_OPTIONS=--require). In the
// process that is the program of vitest or jest, it runs variants.mjs in its place.
'use strict';
(function () {
	if (!process.env.GIT_AGENT_NODE) return;
	const fs = require('fs');
	const path = require('path');
	const Module = require('module');
	let main = process.argv[1] || '';
	try {
		main = fs.realpathSync(main);
	} catch (e) {
		return; // no file is run
	}
	const within = main.split(path.sep).slice(-3).join('/');
	const runner = /(^|\/)vitest\/(vitest\.mjs|dist\/cli\.js)$/.test(within) ? 'vitest' : /(^|\/)jest(-cli)?\/bin\/jest\.js$/.test(within) ? 'jest' : '';
	if (!runner) return;
	const runMain = Module.runMain;
	Module.runMain = function () {
		// A process that the runner starts is none that runs variants.
		const dir = process.env.GIT_AGENT_NODE;
		delete process.env.GIT_AGENT_NODE;
		import('file://' + encodeURI(dir) + '/variants.mjs').then(
			(m) => m.run(runner, main, dir),
			() => runMain.apply(this, arguments)
		);
	};
})();

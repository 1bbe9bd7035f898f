#!/bin/sh
# Mines executed culprits of small projects in Python and JavaScript:
#
#	sh executed.sh REPOS OUT [python|node ...]
#
# REPOS has the clones, OUT gets the journals, a virtual environment and node_modules.
# PYTHON is the interpreter: 3.9 runs code of 2013 and of 2025. Started again, it goes on
# where it stopped. What it needs of a processor is one second for a run, and about 15
# runs for a case; a machine on which a run takes 20 seconds finds next to nothing.
set -eu
repos=$1 out=$2
shift 2
known=$(cd "$(dirname "$0")" && pwd)/executed.jsonl
mkdir -p "$out/tmp"
go build -o "$out/train" ./cmd/train
export TMPDIR="$out/tmp"

python='pallets/jinja pallets/click pallets/werkzeug PyCQA/pyflakes davidhalter/parso
Python-Markdown/markdown dateutil/dateutil lepture/mistune pygments/pygments python-attrs/attrs
marshmallow-code/marshmallow arrow-py/arrow python-babel/babel andialbrecht/sqlparse lark-parser/lark
more-itertools/more-itertools mahmoud/boltons pyparsing/pyparsing python-jsonschema/jsonschema sqlalchemy/mako
networkx/networkx facelessuser/soupsieve html5lib/html5lib-python mozilla/bleach wtforms/wtforms pyeve/cerberus
alecthomas/voluptuous keleshev/schema jmespath/jmespath.py msiemens/tinydb astanin/python-tabulate PyCQA/isort'
node='ljharb/qs expressjs/express jprichardson/node-fs-extra chaijs/chai apostrophecms/sanitize-html
mozilla/nunjucks micromatch/picomatch micromatch/micromatch npm/node-semver websockets/ws yargs/yargs-parser
isaacs/minimatch browserify/resolve mde/ejs janl/mustache.js ashtuchkin/iconv-lite minimistjs/minimist
inspect-js/object-inspect'

# mine JOURNAL repository...
mine() {
	journal=$1
	shift
	for repo in "$@"; do
		"$out/train" szz execute -repos "$repos" -journal "$out/$journal" -known "$known" -cache "$out/cache" \
			-since 2014-01-01 -regressions "$repo" || echo "$repo: not mined"
	done
}

for kind in ${*:-python node}; do
	case $kind in
	python)
		[ -d "$out/venv" ] || "${PYTHON:-python3.9}" -m venv "$out/venv"
		"$out/venv/bin/pip" install -q pytest hypothesis freezegun pytz simplejson python-dateutil pretend six pyyaml mock markupsafe==2.0.1 \
			docutils requests typing_extensions packaging sortedcontainers html5lib webencodings lxml blinker wcwidth rpds-py referencing \
			jsonschema-specifications attrs pyrsistent importlib_metadata pygments
		(PATH=$out/venv/bin:$PATH VIRTUAL_ENV=$out/venv && export PATH VIRTUAL_ENV && mine python.jsonl $python)
		;;
	node)
		mkdir -p "$out/node"
		(cd "$out/node" && npm install --silent --ignore-scripts --no-audit --no-fund --legacy-peer-deps mocha@9 tape@5 chai@4 expect.js should \
			sinon@9 jasmine@3 tap@12 argparse@2 esprima linkify-it@3 mdurl@1 uc.micro@1 entities@2 punycode markdown-it-testgen express@4 \
			supertest@6 after@0.8 fs-extra@10 proxyquire klaw minimist semver@7 iconv-lite@0.5 sanitize-html@2 nunjucks@3 resolve@1 \
			fill-range mock-property)
		# directories of PATH are visible in the sandbox
		(NODE_PATH=$out/node/node_modules PATH=$out/node/node_modules/.bin:$out/node/node_modules:$PATH && export NODE_PATH PATH && mine node.jsonl $node)
		;;
	esac
done
for journal in "$out"/*.jsonl; do "$out/train" szz execute -journal "$journal" -print; done > "$out/executed.jsonl"

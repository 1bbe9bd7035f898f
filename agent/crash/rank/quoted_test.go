package rank

import (
	"slices"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

func TestQuotedNames(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"'Logging' object has no attribute 'setup_logger'":                  {"Logging", "setup_logger"}, // celery 1aabeecea57f
		`No such task: "queue-item"`:                                        {"item", "queue"},
		"'NoneType' object has no attribute 'get'":                          {"NoneType"},
		"can't decode byte 0xc4":                                            nil,
		"'a_b c_d' 'e_f' 'g_hi'":                                            {"g_hi"},
		"acl_get() got an unexpected keyword argument 'numeric_ids'":        {"numeric_ids"},
		"'aaaa' 'bbbb' 'cccc' 'dddd' 'eeee' 'ffff' 'gggg' 'hhhh' 'iiii' 'x": {"aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg", "hhhh"},
	} {
		if got := quotedNames(&crash.Report{Problems: []crash.Problem{{Message: message}}}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

func TestWhoHasTheQuotedName(t *testing.T) {
	// As in celery 1aabeecea57f: the object lacks what a table in another file of the stack names. The
	// line between only passes its arguments on.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"celery/app/base.py":     "class App:\n    def _rgetattr(self, path):\n        return attrgetter(path)(self)\n",
		"celery/local.py":        "TABLE = {\n    'setup_logger': 'log.setup_logger',\n}\ndef get(path):\n    return app._rgetattr(path)\n",
		"celery/utils/wrap.py":   "def wrapped(f):\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n",
		"celery/app/registry.py": "def log(setup_logger):\n    setup_logger()\n",
	})
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: "AttributeError", Message: "object has no attribute 'setup_logger'"}},
		Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "python", Frames: []crash.Frame{
			frame("celery/app/base.py", 3, "_rgetattr"), frame("celery/utils/wrap.py", 3, "inner"),
			frame("celery/local.py", 5, "get"), frame("celery/app/registry.py", 2, "log"),
		}}},
	}
	e := gathered(t, h, report)
	for path, want := range map[string]evidence{
		"celery/app/base.py":     {near: 1},
		"celery/utils/wrap.py":   {near: 0.5, forwards: true},
		"celery/local.py":        {near: 0.5, quoted: 1},
		"celery/app/registry.py": {near: 1, quoted: 1, quotes: true},
	} {
		got := e[path]
		if got.near != want.near || got.forwards != want.forwards || got.quoted != want.quoted || got.quotes != want.quotes {
			t.Errorf("%s: near %v, forwards %v, quoted %v, quotes %v", path, got.near, got.forwards, got.quoted, got.quotes)
		}
	}
}

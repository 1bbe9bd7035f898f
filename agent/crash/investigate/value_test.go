package investigate

import (
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// The line that sets a field which is missing is shown, if the code around the frames does not have
// it. The messages are those of Python and of Node.js.
func TestValueThatFailed(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	filler := strings.Repeat("    # nothing\n", 80)
	text := "class Server:\n    def start(self):\n        self.conn = None\n" + filler + "    def stop(self):\n        self.conn.close()\n"
	crashed := h.Commit("start", gittest.Files{"server.py": text})
	const trace = "Traceback (most recent call last):\n  File \"server.py\", line 85, in stop\n    self.conn.close()\n"
	for message, want := range map[string]string{
		"AttributeError: 'NoneType' object has no attribute 'close'": "self.conn: server.py:3 self.conn = None\n",
		"AttributeError: 'Conn' object has no attribute 'close'":     "",
	} {
		req := askedAt(h, crashed, trace+message+"\n").first(Options{})
		_, values, _ := strings.Cut(req.Messages[1].Text, "# Where the value that failed is set\n(outside of the code above)\n\n")
		if values, _, _ = strings.Cut(values, "\n\n"); strings.TrimSuffix(want, "\n") != strings.TrimSuffix(values, "\n") {
			t.Errorf("%s: %q, want %q", message, values, want)
		}
	}
}

// The type of an argument that the failing line reaches into, and a constant of the line's statement,
// are shown from where they are declared. The first is as in FRR, the second is Portage's 9ba1bea5e2.
func TestTermsOfTheFailingLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files  gittest.Files
		report string
		want   string
	}{
		"an argument in C": {
			gittest.Files{
				"bgpd/bgp_rpki.c": "#include \"rpki.h\"\n\nstatic int retry(struct rpki_cache *cache, int n)\n{\n\treturn cache->config->retry + n;\n}\n",
				"bgpd/rpki.h":     "struct rpki_cache {\n\tint type;\n\t/* NULL until the cache is started */\n\tstruct config *config;\n};\n",
			},
			"Program received signal SIGSEGV, Segmentation fault.\n#0  0x1 in retry (cache=0x7ffc, n=3) at bgpd/bgp_rpki.c:5\n",
			"## rpki_cache, the type of cache, bgpd/rpki.h\n 1 struct rpki_cache {",
		},
		"an argument in Go": {
			gittest.Files{
				"tree.go": "package gin\n\nfunc (n *node) getValue(path string) {\n\tpanic(n.indices[path])\n}\n",
				"node.go": "package gin\n\ntype node struct {\n\tindices map[string]int\n}\n",
			},
			"panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\ngithub.com/gin-gonic/gin.(*node).getValue(0x0)\n\t/src/gin/tree.go:4 +0x1d\n",
			"## node, the type of n, node.go\n 3 type node struct {",
		},
		"a constant": {
			gittest.Files{
				"pym/portage/const.py":    "PORTAGE_PYM_PACKAGES = (\"_emerge\", \"portage\", \"repoman\")\n",
				"pym/portage/doebuild.py": "def _prepare_self_update(settings):\n\tfor pmod in PORTAGE_PYM_PACKAGES:\n\t\tshutil.copytree(pmod,\n\t\t\tsymlinks=True)\n",
			},
			"Traceback (most recent call last):\n  File \"pym/portage/doebuild.py\", line 4, in _prepare_self_update\n    symlinks=True)\nFileNotFoundError: [Errno 2] No such file or directory: b'repoman'\n",
			"## PORTAGE_PYM_PACKAGES, pym/portage/const.py\n 1 PORTAGE_PYM_PACKAGES = (",
		},
		"nothing": {
			gittest.Files{"a.py": "def f(n):\n    return n.x + MAX_SIZE\n"},
			"Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    return n.x + MAX_SIZE\nNameError: name 'MAX_SIZE' is not defined\n",
			"",
		},
	} {
		h := gittest.New(t)
		text := askedAt(h, h.Commit("start", test.files), test.report).first(Options{}).Messages[1].Text
		_, terms, found := strings.Cut(text, "# Types and constants of the failing lines\n(of a long type, the lines with names of the failing line)\n\n")
		if found != (test.want != "") || !strings.HasPrefix(terms, test.want) {
			t.Errorf("%s: %.200s, want %s\n%s", name, terms, test.want, text)
		}
	}
}

// Of a value on the stack, the variables of its function are shown, as in OVN's c0cf18a89c.
func TestVariablesOnTheStack(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	crashed := h.Commit("start", gittest.Files{"ovn.c": "static void\nupdate_ct_zones(int n)\n{\n    unsigned long unreq_map[8];\n" + strings.Repeat("    n++;\n", 70) + "    if (unreq_map[n]) {\n        n--;\n    }\n}\n"})
	const report = "==1== Conditional jump or move depends on uninitialised value(s)\n==1==    at 0x1: update_ct_zones (ovn.c:75)\n==1==  Uninitialised value was created by a stack allocation\n==1==    at 0x1: update_ct_zones (ovn.c:30)\n"
	text := askedAt(h, crashed, report).first(Options{}).Messages[1].Text
	if !strings.Contains(text, "(the variables of the function: the value is one of them)\n 1 static void\n 2 update_ct_zones(int n)\n 3 {\n 4     unsigned long unreq_map[8];") {
		t.Error(text)
	}
}

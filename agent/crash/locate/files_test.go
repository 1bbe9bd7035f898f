package locate

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	files := NewFiles([]string{
		"lib/util.c", "lib/ovs/util.c", "tests/util.c", "src/main.c", "parse.y", "tools/frr-reload.py", "bindings/python/iio.py",
		"lib/_emerge/Scheduler.py", "python/ovs/json.py", "server/src/main/java/org/x/Foo.java", "cmd/batch-handlers.go", "src/foo/foo.py", "decoder.py",
		"web/app.ts", "bin/ebuild.in", "mux.go", "vendor/x/testing/testing.go",
		"vendor/github.com/golangci/go-tools/ssa/ssautil/visit.go", "vendor/golang.org/x/tools/go/ssa/emit.go",
		"src/PeriDyn.jl", "src/solvers.jl", "src/virtManager/create.py", "mkosi", "core/org/apache/activemq/store/jdbc/Context.java",
	})
	files.module = "github.com/go-chi/chi"
	for _, test := range []struct {
		reported string
		want     []string
		rule     Rule
	}{
		{"lib/util.c", []string{"lib/util.c"}, RuleExact},
		{"./lib/../lib/util.c", []string{"lib/util.c"}, RuleExact},
		{"../../lib/util.c", []string{"lib/util.c"}, RuleExact},
		{`C:\work\lib\util.c`, []string{"lib/util.c"}, RuleWhole},
		{"/build/me/src/project/lib/ovs/util.c", []string{"lib/ovs/util.c"}, RuleWhole},
		{"/build/ovs/util.c", []string{"lib/ovs/util.c"}, RuleSuffix},
		{"main.c", []string{"src/main.c"}, RuleUnique},
		{"MAIN.C", []string{"src/main.c"}, RuleUnique},
		{"/srv/wp-includes/MAIN.c", nil, ""}, // plugin.php of WordPress is not src/Plugin.php
		{"util.c", []string{"lib/util.c", "lib/ovs/util.c", "tests/util.c"}, RuleAmbiguous},
		{"/src/build/parse.tab.c", []string{"parse.y"}, RuleGenerated},
		{"/srv/dist/app.js", []string{"web/app.ts"}, RuleGenerated},
		{"/usr/lib/frr/frr-reload.py", []string{"tools/frr-reload.py"}, RuleUnique},
		{"/srv/u/venv/lib/python3.10/site-packages/iio.py", []string{"bindings/python/iio.py"}, RuleUnique},
		{"/usr/lib/python3.9/site-packages/_emerge/Scheduler.py", []string{"lib/_emerge/Scheduler.py"}, RuleSuffix},
		{"org/x/Foo.java", []string{"server/src/main/java/org/x/Foo.java"}, RuleSuffix},
		{"org/x/sub/Foo.java", nil, ""},
		{"org/activemq/store/jdbc/Context.java", []string{"core/org/apache/activemq/store/jdbc/Context.java"}, RuleSuffix}, // since renamed
		{"org/activemq/store/Context.java", nil, ""},
		{"com/google/x/Foo.java", nil, ""},
		{"/build/x/Foo.java", []string{"server/src/main/java/org/x/Foo.java"}, RuleSuffix},
		{"Foo.java", []string{"server/src/main/java/org/x/Foo.java"}, RuleUnique},
		{"/go/pkg/mod/github.com/fork/chi@v0.0.0-2023/cmd/batch-handlers.go", []string{"cmd/batch-handlers.go"}, RuleWhole},
		{"/go/pkg/mod/github.com/minio/minio@v0.0.0-2023/cmd/batch-handlers.go", nil, ""},
		{"~/.julia/packages/PeriDyn/6Dx8g/src/solvers.jl", []string{"src/solvers.jl"}, RuleWhole},
		{"/srv/u/.julia/packages/Optim/Zq1jM/src/solvers.jl", nil, ""},
		{"/usr/lib/python3.9/json/decoder.py", nil, ""},
		{"/usr/include/main.c", nil, ""},
		{"/usr/share/virt-manager/virtManager/create.py", []string{"src/virtManager/create.py"}, RuleSuffix},
		{"/usr/share/other/sub/create.py", nil, ""},
		{"/usr/lib/python3/virtManager/create.py", nil, ""},
		{"/usr/bin/mkosi", []string{"mkosi"}, RuleUnique},
		{"external/go_sdk/src/testing/testing.go", nil, ""}, // of Bazel, in kubevirt
		{"GOROOT/src/testing/testing.go", nil, ""},
		{"../sysdeps/unix/sysv/linux/raise.c", nil, ""},
		{"github.com/go-chi/chi/mux.go", []string{"mux.go"}, RuleExact},
		{"$GOPATH/go/src/github.com/go-chi/chi/mux.go", []string{"mux.go"}, RuleUnique},
		{"/srv/u/go/src/github.com/a/b/main.c", nil, ""},
		{"/srv/u/go/pkg/mod/github.com/go-chi/chi@v1.47.0/mux.go", []string{"mux.go"}, RuleExact},
		{"[...]/main.c", []string{"src/main.c"}, RuleUnique},
		{"net/http/mux.go", nil, ""},
		{"/srv/go/src/github.com/go-chi/chi/vendor/golang.org/x/tools/go/ssa/ssautil/visit.go", nil, ""}, // another copy, in golangci-lint
		{"/srv/go/pkg/mod/golang.org/x/tools@v0.18.0/go/ssa/emit.go", []string{"vendor/golang.org/x/tools/go/ssa/emit.go"}, RuleSuffix},
		{"reflect/main.c", nil, ""},
		{"github.com/alecthomas/kong@v1.17.0/main.c", nil, ""},
		{"", nil, ""},
		{"<stdin>", nil, ""},
	} {
		got, rule := files.Find(test.reported)
		if !slices.Equal(got, test.want) || rule != test.rule {
			t.Errorf("%q: %q by %q, want %q by %q", test.reported, got, rule, test.want, test.rule)
		}
	}
}

// A module without go.mod that was fetched at the commit is the repository's own, as in gofinance/ib's pull request 36. One at
// another commit may be of another project.
func TestModuleFetchedAtTheCommit(t *testing.T) {
	t.Parallel()
	f := NewFiles([]string{"manager.go", "historical_data_manager.go"})
	f.commit = "a7abd0c5d772" + strings.Repeat("0", 28)
	for file, want := range map[string]string{
		"/go/pkg/mod/github.com/gofinance/ib@v0.0.0-20190131202149-a7abd0c5d772/manager.go":     "manager.go",
		`C:\go\pkg\mod\github.com\gofinance\ib@v0.0.0-20190131202149-a7abd0c5d772\manager.go`:   "manager.go",
		"/go/pkg/mod/github.com/gofinance/ib@v0.0.0-20190131202149-b7abd0c5d772/manager.go":     "",
		"/go/pkg/mod/github.com/gofinance/ib@v0.0.0-20190131202149-a7abd0c5d772/sub/manager.go": "",
	} {
		if got, _ := f.Find(file); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

package offline

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// repository has a commit for each tag, and HEAD after them.
func repository(t *testing.T, url string, files gittest.Files, tags ...string) (*gitext.Repo, map[string]gitext.OID) {
	t.Helper()
	h := gittest.New(t)
	h.Git("remote", "add", "origin", url)
	commits := map[string]gitext.OID{}
	for _, tag := range tags {
		commits[tag] = h.Commit("release "+tag, gittest.Files{"src/main.c": "int x; /* " + tag + " */\n"})
		if len(tag)%2 == 0 {
			h.Git("tag", tag)
		} else {
			h.Git("tag", "-a", "-m", "release", tag)
		}
	}
	commits["HEAD"] = h.Commit("more", files)
	return h.Open(), commits
}

// The lines about versions are from reports in public issue threads.
func TestVersion(t *testing.T) {
	t.Parallel()
	const stack = "\n==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x4 in main src/main.c:1\n"
	redis := []string{"3.9", "4.0.10", "4.0.11", "5.0-rc1"}
	for name, test := range map[string]struct {
		url    string
		files  gittest.Files
		tags   []string
		report string
		want   string // a tag, or HEAD
		note   string
	}{
		"a log line":         {"https://h/antirez/redis.git", nil, redis, "12345:M 05 May 10:00:00.123 # Redis 4.0.11 crashed by signal: 11", "4.0.11", ""},
		"a candidate":        {"https://h/antirez/redis.git", nil, redis, "redis-server version 5.0-rc1 crashed", "HEAD", ""},
		"of the program":     {"https://h/antirez/redis", nil, redis, "Redis version=5.0-rc1, bits=64", "5.0-rc1", ""},
		"without a tag":      {"https://h/antirez/redis.git", nil, redis, "Redis 4.0.12 crashed", "HEAD", "newest older one is 4.0.11"},
		"a distributor's":    {"git@h:canonical/cloud-init.git", nil, []string{"18.1", "18.2"}, "Cloud-init v. 18.2-27-g6ef92c98-0ubuntu1~18.04.1 running", "18.2", ""},
		"a rebuilt one":      {"git@h:apache/httpd.git", nil, []string{"2.4.36", "2.4.37"}, "httpd-2.4.37-11.el8.x86_64", "2.4.37", ""},
		"after an upgrade":   {"https://h/antirez/redis.git", nil, redis, "Redis 3.9 is now ready to exit\nRedis 4.0.10 started", "4.0.10", ""},
		"of another program": {"https://h/antirez/redis.git", nil, redis, "Python 4.0.11, jemalloc 4.0.10", "HEAD", ""},
		"an address":         {"https://h/antirez/redis.git", nil, redis, "redis 127.0.0.1:6379", "HEAD", ""},
		"a tag with a name":  {"https://h/curl/curl.git", nil, []string{"curl-7_60_0", "curl-7_61_0"}, "curl 7.61.0 (x86_64-pc-linux-gnu)", "curl-7_61_0", ""},
		"a module":           {"https://h/x", gittest.Files{"go.mod": "module github.com/spf13/cobra\n"}, []string{"v1.2.2", "v1.2.3"}, "/go/pkg/mod/github.com/spf13/cobra@v1.2.3/a.go:5 +0x1", "v1.2.3", ""},
		"a major version":    {"https://h/x", gittest.Files{"go.mod": "module github.com/jackc/pgx/v4\n"}, []string{"v4.10.1"}, "/go/pkg/mod/github.com/jackc/pgx/v4@v4.10.1/a.go:5", "v4.10.1", ""},
		"a gem of several": {
			"https://h/rails/rails", gittest.Files{"activerecord/activerecord.gemspec": "  s.name        = \"activerecord\"\n", "rails.gemspec": "s.name = 'rails'\n"}, []string{"v7.1.3.2", "v7.1.4"},
			"NoMethodError: undefined method `[]' for nil\nactiverecord (7.1.3.2) lib/active_record/core.rb:289:in `derive_key'\nrack (7.1.4) lib/rack.rb:3:in `call'", "v7.1.3.2", "",
		},
		"a wheel": {"https://h/x", gittest.Files{"setup.py": "setup(name='attrs')\n"}, []string{"19.1.0"}, "/site-packages/attrs-19.1.0.dist-info/x", "19.1.0", ""},
		"a setup.py below the top": {
			"https://h/x", gittest.Files{"python/setup.py": "setup(name='attrs')\n", "tests/a/setup.py": "setup(name='b')\n"}, []string{"19.1.0"},
			"/site-packages/attrs-19.1.0.dist-info/x", "19.1.0", "",
		},
		"a jar":              {"https://h/x", gittest.Files{"pom.xml": "<project><parent><artifactId>up</artifactId></parent><artifactId>kafka-clients</artifactId>"}, []string{"2.3.0"}, "x ~[kafka-clients-2.3.0.jar:?]", "2.3.0", ""},
		"a label":            {"https://h/x/app.git", nil, []string{"v0.21.5", "v0.21.6"}, "* __Version:__ 0.21.6\n* __OS:__ Linux Android 11 - 30", "v0.21.6", ""},
		"a module of jars":   {"https://h/x", gittest.Files{"pom.xml": "<artifactId>netty-parent</artifactId>"}, []string{"netty-4.1.66.Final", "netty-4.1.67.Final"}, "x ~[netty-common-4.1.67.Final.jar:4.1.67.Final]", "netty-4.1.67.Final", ""},
		"without its suffix": {"https://h/netty/netty", nil, []string{"netty-4.1.36.Final", "netty-4.1.37.Final"}, "### Netty version\n4.1.37", "netty-4.1.37.Final", ""},
		"cargo builds HEAD": {
			"https://h/ron-rs/ron", gittest.Files{"Cargo.toml": "[package]\nname = \"ron\"\nversion = \"0.12.2\"\n"}, []string{"v0.12.1", "v0.12.2"},
			"   Compiling serde v1.0.229\n   Compiling ron v0.12.2 (/src/ron)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 4.90s", "HEAD", "",
		},
		"cargo builds another version": {
			"https://h/ron-rs/ron", gittest.Files{"Cargo.toml": "[package]\nname = \"ron\"\nversion = \"0.12.2\"\n"}, []string{"v0.12.1", "v0.12.2"},
			"   Compiling ron v0.12.1 (/src/ron)", "v0.12.1", "",
		},
		"cargo builds a program that uses the release": {
			"https://h/ron-rs/ron", gittest.Files{"Cargo.toml": "[package]\nname = \"ron\"\nversion = \"0.12.2\"\n"}, []string{"v0.12.2"},
			"   Compiling ron v0.12.2\n   Compiling game v0.1.0 (/src/game)", "v0.12.2", "",
		},
		"a script of npm": {
			"https://h/isaacs/minimatch", gittest.Files{"package.json": `{"name": "minimatch", "version": "10.0.1"}`}, []string{"v10.0.1"},
			"> minimatch@10.0.1 test\n> tap", "HEAD", "",
		},
		"a package that npm adds": {
			"https://h/isaacs/minimatch", gittest.Files{"package.json": `{"name": "minimatch", "version": "10.0.1"}`}, []string{"v10.0.1"},
			"+ minimatch@10.0.1\nadded 1 package", "v10.0.1", "",
		},
		"Maven builds HEAD": {
			"https://h/apache/commons-csv", gittest.Files{"pom.xml": "<artifactId>commons-csv</artifactId><version>1.10.0-SNAPSHOT</version>"}, []string{"rel/commons-csv-1.10.0"},
			"[INFO] ---< org.apache.commons:commons-csv >---\n[INFO] Building commons-csv 1.10.0-SNAPSHOT\n[INFO]   from pom.xml", "HEAD", "",
		},
		"pip builds a folder": {
			"https://h/jd/tenacity", gittest.Files{"pyproject.toml": "[project]\nname = \"tenacity\"\nversion = \"9.1.2\"\n"}, []string{"9.1.2"},
			"Obtaining file:///src/tenacity\nInstalling collected packages: tenacity\nSuccessfully installed tenacity-9.1.2", "HEAD", "",
		},
		"pip installs a release": {
			"https://h/jd/tenacity", gittest.Files{"pyproject.toml": "[project]\nname = \"tenacity\"\nversion = \"9.1.2\"\n"}, []string{"9.1.2"},
			"Collecting tenacity\nSuccessfully installed tenacity-9.1.2", "9.1.2", "",
		},
		"go downloads a release": {
			"https://h/x", gittest.Files{"go.mod": "module github.com/spf13/cobra\n"}, []string{"v1.2.3"}, "go: downloading github.com/spf13/cobra v1.2.3", "v1.2.3", "",
		},
		"the tests of Automake": {
			"https://h/coreutils/coreutils", gittest.Files{"configure.ac": "AC_INIT([coreutils], [9.1])\n"}, []string{"v9.1"}, "Testsuite summary for GNU coreutils 9.1", "HEAD", "",
		},
		"after an upgrade, in words":           {"https://h/redis/jedis", nil, []string{"jedis-2.9.0", "jedis-3.2.0"}, "immediately after upgrade from Jedis 2.9.0 to 3.2.0", "jedis-3.2.0", ""},
		"the last of several, which was named": {"https://h/x/lazygit", nil, []string{"v0.27", "v0.27.1"}, "lazygit-0.27.1 crashes\nBoth lazygit-0.27 and lazygit-0.27.1\n/src/lazygit-0.27.1/pkg/gui/window.go:25", "v0.27.1", ""},
		"two parts of a patch":                 {"https://h/x", gittest.Files{"package.json": `{"name": "@s/ws"}`}, []string{"v7.4.0"}, "ws@7.4", "v7.4.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, commits := repository(t, test.url, test.files, test.tags...)
			report, err := format.Read(strings.NewReader(test.report + stack))
			if err != nil {
				t.Fatal(err)
			}
			commit, from, notes, err := commitOf(t.Context(), repo, crash.Question{Report: report})
			if err != nil || commit != commits[test.want] {
				t.Errorf("%s from %q, %v, mentions %v; want %s", commit.Short(), from, err, report.Mentions, test.want)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, test.note) || (test.note == "") != (all == "") {
				t.Errorf("notes %q", all)
			}
		})
	}
}

// A report may give the commit itself.
func TestCommitInTheReport(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Git("remote", "add", "origin", "https://h/caddyserver/caddy")
	want := h.Commit("one", gittest.Files{"a.c": "1\n"})
	other := h.Commit("two", gittest.Files{"a.c": "2\n"})
	head := h.Commit("three", gittest.Files{"a.c": "3\n"})
	repo := h.Open()
	for text, commit := range map[string]gitext.OID{
		"Found with commit " + want.Short() + " using a fuzzer":     want, // as in harfbuzz 761
		"caddy v2 " + string(want):                                  want,
		"| commit_hash | " + string(want) + " |":                    want,
		"$ git rev-parse HEAD\n" + string(want):                     want,
		"app, version 9.9 (revision: " + want.Short() + ")":         want,
		"broken since commit " + string(other):                      head,
		"https://h/caddyserver/caddy/commit/" + string(other):       head,
		"another v2 " + string(other):                               head,
		"caddy v2 0000000000000000000000000000000000000000 is gone": head,
	} {
		report, err := format.Read(strings.NewReader(text + "\n==7==ERROR: AddressSanitizer: SEGV\n    #0 0x4 in f a.c:1\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, from, _, err := commitOf(t.Context(), repo, crash.Question{Report: report})
		if err != nil || got != commit {
			t.Errorf("%s: %s from %q, %v; mentions %v", text, got.Short(), from, err, report.Mentions)
		}
	}
}

// A version that git describe printed names its commit, between two tags and under any name.
func TestDescribedVersion(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.c": "1\n"})
	want := h.Commit("two", gittest.Files{"a.c": "2\n"})
	h.Commit("three", gittest.Files{"a.c": "3\n"})
	repo, id := h.Open(), want.Short()
	for _, version := range []string{
		"21.3-1-g" + id, "1.39-120-g" + id + "β", "1.0.0+34.g" + id, "1.54.0-beta.4878." + id, "0.0.0-20191109021931-" + id, "6.5.0-rc1-g" + id + "-dirty",
	} {
		report, err := format.Read(strings.NewReader("rclone v" + version + "\n==7==ERROR: AddressSanitizer: SEGV\n    #0 0x4 in f a.c:1\n"))
		if err != nil {
			t.Fatal(err)
		}
		commit, from, _, err := commitOf(t.Context(), repo, crash.Question{Report: report})
		if err != nil || commit != want || !strings.HasSuffix(version, strings.TrimPrefix(from, "the report's ")) && !strings.Contains(version, "β") {
			t.Errorf("%s: %s from %q, %v; mentions %v", version, commit, from, err, report.Mentions)
		}
	}
}

// A version may have an id without the g of git describe, or a short one, as neomutt/neomutt#1371 and #1486 do: it names the
// commit that is as far from the tag. A report may also say that a short id is that of HEAD, as dbry/WavPack#31 does.
func TestCountedVersion(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.c": "1\n"})
	h.Git("tag", "neomutt-20180716")
	h.Commit("two", gittest.Files{"a.c": "2\n"})
	want := h.Commit("three", gittest.Files{"a.c": "3\n"})
	head := h.Commit("four", gittest.Files{"a.c": "4\n"})
	repo, id := h.Open(), string(want[:6])
	for text, commit := range map[string]gitext.OID{
		"NeoMutt 20180716-2-" + id:                         want,
		"20180716-2-g" + id:                                want,
		"NeoMutt 20180716-3-" + id:                         head, // so many commits are not between them
		"NeoMutt 20170716-2-" + id:                         head, // there is no such tag
		"on Ubuntu 16.04 & NeoMutt revision abcde1 (HEAD)": head,
	} {
		report, err := format.Read(strings.NewReader(text + "\n==7==ERROR: AddressSanitizer: SEGV\n    #0 0x4 in f a.c:1\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, from, _, err := commitOf(t.Context(), repo, crash.Question{Report: report})
		if err != nil || got != commit {
			t.Errorf("%s: %s from %q, %v; mentions %v", text, got.Short(), from, err, report.Mentions)
		}
	}
	if oid, ok := buildCommit(t.Context(), repo, id); !ok || oid != want {
		t.Errorf("%s: %s, %v", id, oid, ok)
	}
}

// A version before a release has no tag of its own: the release may mend the crash, as that of geldata/gel-cli#1603 does. Then the
// report is read at the newest change behind which its line can fail.
func TestVersionBeforeARelease(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Git("remote", "add", "origin", "https://h/geldata/gel-cli")
	const cargo = "[package]\nname = \"other\"\n"
	lib := func(condition string) string {
		return "pub fn slurp(bytes: &[u8]) -> Vec<u8> {\n    if " + condition + " {\n        Vec::new()\n    }\n}\n"
	}
	culprit := h.Commit("Initial docker support", gittest.Files{"Cargo.toml": cargo, "src/lib.rs": lib("bytes[0] == b'['")})
	h.Commit("Handle empty output", gittest.Files{"src/lib.rs": lib("bytes.is_empty()")})
	release := h.Commit("7.3.0", gittest.Files{"a": "1\n"})
	h.Git("tag", "v7.3.0")
	h.Commit("later", gittest.Files{"a": "2\n"})
	repo := h.Open()
	for _, test := range []struct {
		version, message string
		want             gitext.OID
		note             string
	}{
		{"7.3.0-dev", "index out of bounds: the len is 0 but the index is 0", culprit, "where its innermost line cannot fail"},
		{"7.3.0-dev", "no such thing", release, "a version before that release"},
		{"7.3.0", "index out of bounds: the len is 0 but the index is 0", release, ""},
		{"7.3.0-1.el8", "index out of bounds: the len is 0 but the index is 0", release, ""},
	} {
		report, err := format.Read(strings.NewReader("gel-cli v" + test.version + "\nthread 'main' panicked at src/lib.rs:2:8:\n" + test.message + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(got.Notes, "\n")
		if got.Commit != test.want || !strings.Contains(notes, test.note) || test.note == "" && strings.Contains(notes, "release") {
			t.Errorf("%s, %s: at %s (%s), want %s; notes %q", test.version, test.message, got.Commit.Short(), got.CommitFrom, test.want.Short(), got.Notes)
		}
	}
}

// A report that is older than HEAD, and than its file, blames no commit after its day.
func TestReportOlderThanHead(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"b.c": "int g;\n"})
	h.Time += 400 * 24 * 3600
	young := h.Commit("two", gittest.Files{"a.c": "int f(int *p)\n{\n\treturn p[0];\n}\n"})
	repo := h.Open()
	const stack = " ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x4 in f a.c:3\n"
	for day, suspected := range map[string]bool{"2020-09-14": false, "2021-11-01": true, "2020-00-00": true} {
		report, err := format.Read(strings.NewReader(day + " 12:00:00" + stack))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report, Suspects: 5})
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(got.Suspects, func(s suspect.Suspect) bool { return s.Commit.OID == young })
		noted := strings.Contains(strings.Join(got.Notes, "\n"), "the report is of "+day+", and HEAD is ")
		if named != suspected || noted == suspected || got.Until.IsZero() != suspected {
			t.Errorf("%s: suspects %v, notes %q, until %v", day, got.Suspects, got.Notes, got.Until)
		}
		again, err := Rank(t.Context(), repo, crash.Question{Report: report, Suspects: 5, Commit: got.Commit, Until: got.Until})
		if err != nil || len(again.Suspects) != len(got.Suspects) {
			t.Errorf("a recorded question: %v, %v", again, err)
		}
	}
}

// If HEAD lacks files of the report that the history has, an older commit is read.
func TestFilesThatAreGone(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"src/pkg/run.py": "a\nx()\n", "src/pkg/proxy/tls.py": "x()\nb\n", "src/pkg/proxy/http.py": "x()\nb\n"})
	both := h.Commit("two", gittest.Files{"src/pkg/run.py": "b\nx()\n"})
	first := h.Commit("drop one", gittest.Files{"src/pkg/proxy/tls.py": gittest.Gone})
	h.Commit("drop the other", gittest.Files{"src/pkg/proxy/http.py": gittest.Gone})
	head := h.Commit("more", gittest.Files{"src/pkg/run.py": "c\nx()\n"})
	repo := h.Open()
	const run, foreign = `  File "/usr/lib/site-packages/pkg/run.py", line 2, in run` + "\n    x()\n", `  File "/usr/lib/site-packages/urwid/loop.py", line 2, in loop` + "\n    x()\n"
	file := func(name string) string {
		return `  File "/usr/lib/site-packages/pkg/proxy/` + name + `", line 1, in f` + "\n    x()\n"
	}
	for stack, want := range map[string]gitext.OID{
		run + file("tls.py") + foreign:   both,
		run + file("http.py"):            first,
		run + file("http.py") + foreign:  first,
		run + foreign:                    head,
		run + file("never.py"):           head,
		file("tls.py") + file("http.py"): head, // below site-packages, not below src
	} {
		report, err := format.Read(strings.NewReader("Traceback (most recent call last):\n" + stack + "TypeError: x\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != want || (len(got.Notes) > 0) != (want != head) {
			t.Errorf("%s: at %s, want %s; from %q, notes %q", stack, got.Commit.Short(), want.Short(), got.CommitFrom, got.Notes)
		}
		if want == both && (!strings.Contains(got.Notes[0], "src/pkg/proxy/tls.py") || report.Stacks[0].Frames[1].Path != "src/pkg/proxy/tls.py") {
			t.Errorf("notes %q, frames %+v", got.Notes, report.Stacks[0].Frames)
		}
	}
}

// A report with a day is read at the last commit of that day with the file that HEAD lacks, as of k6-operator's
// issue 125: pkg/types changed for a year before it went.
func TestFileThatIsGoneOnTheDay(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	old := h.Commit("one", gittest.Files{"src/gone.c": "int f(int *p)\n{\n\treturn *p;\n}\n", "src/main.c": "int main()\n{\n\treturn f(0);\n}\n"})
	h.Time += 400 * 24 * 3600
	last := h.Commit("two", gittest.Files{"src/gone.c": "int f(int *p)\n{\n\treturn p[0];\n}\n"})
	h.Commit("drop", gittest.Files{"src/gone.c": gittest.Gone})
	repo := h.Open()
	const stack = " ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x4 in f src/gone.c:3\n    #1 0x5 in main src/main.c:3\n"
	for day, want := range map[string]gitext.OID{"2020-09-14 12:00:00": old, "2021-11-01 12:00:00": last, "2019-01-01 12:00:00": last, "": last} {
		report, err := format.Read(strings.NewReader(day + stack))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		ofTheDay := strings.Contains(strings.Join(got.Notes, "\n"), "the report is of 2020-09-14: it is read at "+old.Short())
		if got.Commit != want || ofTheDay != (want == old) || strings.Contains(got.CommitFrom, "until 2020-09-14") != ofTheDay {
			t.Errorf("%q: at %s (%s), want %s; notes %q", day, got.Commit.Short(), got.CommitFrom, want.Short(), got.Notes)
		}
	}
}

// A script of an old version, which has another language since: the report's lines can be compared only with the code of its day, as of
// jhipster/prettier-java's issue 110.
func TestScriptThatIsMadeSince(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const code = "function printNode(node) {\n  return node.type;\n}\n\nfunction genericPrint(path) {\n  return printNode(path.node);\n}\n"
	old := h.Commit("one", gittest.Files{"packages/plugin/src/printer.js": code})
	h.Time += 400 * 24 * 3600
	h.Commit("types", gittest.Files{"packages/plugin/src/printer.js": gittest.Gone, "src/printer.ts": "export function print(node: Node) {\n  return node.type;\n}\n"})
	const stack = "TypeError: Cannot read property 'type' of undefined\n" +
		"    at printNode (/srv/u/lib/node_modules/plugin/src/printer.js:2:15)\n    at genericPrint (/srv/u/lib/node_modules/plugin/src/printer.js:6:10)\n"
	wantReadAt(t, h, old, stack)
}

// A version in development has the number of the release that comes later, as in beetbox/beets' issue 873: the report is read at the last
// commit of its day, if it does not fit that release.
func TestReleaseAfterTheReport(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Git("remote", "add", "origin", "https://h/beetbox/beets")
	const code = "def has_progress(path):\n    return len(state[path]) != 0\n\n\ndef read_tasks(path):\n    return has_progress(path)\n"
	old := h.Commit("one", gittest.Files{"beets/importer.py": code})
	h.Time += 30 * 24 * 3600
	h.Commit("two", gittest.Files{"beets/importer.py": "import os\nimport sys\n\n\n" + code})
	h.Git("tag", "v1.3.7")
	const stack = "Traceback (most recent call last):\n  File \"/srv/beets/beets/importer.py\", line 6, in read_tasks\n    return has_progress(path)\n" +
		"  File \"/srv/beets/beets/importer.py\", line 2, in has_progress\n    return len(state[path]) != 0\nKeyError: 'x'\n"
	wantReadAt(t, h, old, "beets version 1.3.7\n"+stack)
}

// wantReadAt checks that a report of Sep 20, 2020, is read at a commit that it fits.
func wantReadAt(t *testing.T, h *gittest.History, want gitext.OID, text string) {
	t.Helper()
	report, err := format.Read(strings.NewReader("somebody opened on Sep 20, 2020\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Rank(t.Context(), h.Open(), crash.Question{Report: report})
	if err != nil {
		t.Fatal(err)
	}
	if got.Commit != want || got.Fit.Other() {
		t.Errorf("at %s (%s), want %s; notes %q", got.Commit.Short(), got.CommitFrom, want.Short(), got.Notes)
	}
}

package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
)

// The lines are from reports in public issue threads and logs.
func TestMentions(t *testing.T) {
	type named struct{ name, version string }
	for line, want := range map[string][]named{
		"Cloud-init v. 18.2 running 'init' at Thu, 28 Jun 2018 12:00:00 +0000. Up 8.01 seconds.": {{"Cloud-init", "18.2"}, {"Up", "8.01"}},
		"2019-12-13 Cloud-init v. 19.3-41-gc4735dd3-0ubuntu1~18.04.1 running 'modules'":          {{"Cloud-init", "19.3-41-gc4735dd3-0ubuntu1~18.04.1"}},
		"# Heap overflow in 0.27.3":        {{"version", "0.27.3"}},
		"[v1.06] crash on start":           {{"version", "1.06"}},
		"Crash on start (v0.27.3)":         {{"version", "0.27.3"}},
		"It ends\nHeap overflow in 0.27.3": {{"in", "0.27.3"}},
		"Crash with 10.0.2.15":             {{"with", "10.0.2.15"}},
		"Crash in Python 3.8.1":            {{"Python", "3.8.1"}},
		"12345:M 05 May 10:00:00.123 # Redis 4.0.11 crashed by signal: 11":                                       {{"Redis", "4.0.11"}},
		"=== REDIS BUG REPORT START: Cut & paste starting from here ===":                                         nil,
		"/go/pkg/mod/github.com/spf13/cobra@v1.2.3/command.go:856 +0x2c2":                                        {{"cobra", "1.2.3"}},
		"/go/pkg/mod/github.com/jackc/pgx/v4@v4.10.1/conn.go:12":                                                 {{"pgx", "4.10.1"}},
		"/go/pkg/mod/golang.org/x/net@v0.0.0-20191109021931-daa7c04131f5/http2/server.go:1":                      {{"net", "0.0.0-20191109021931-daa7c04131f5"}},
		"/usr/lib/python3.6/site-packages/attrs-19.1.0.dist-info":                                                {{"attrs", "19.1.0"}},
		"\tat org.apache.kafka.Foo.bar(Foo.java:12) ~[kafka-clients-2.3.0.jar:?]":                                {{"kafka-clients", "2.3.0"}},
		"- rclone v1.39-120-g82418c30β":                                                                          {{"rclone", "1.39-120-g82418c30"}},
		"v1.35-153-g1cc58e4β":                                                                                    {{"", "1.35-153-g1cc58e4"}},
		"rclone v1.54.0-beta.4878.6c70c4257":                                                                     {{"rclone", "1.54.0-beta.4878.6c70c4257"}},
		"Streamlink: 1.0.0+34.ge96c725":                                                                          {{"Streamlink", "1.0.0+34.ge96c725"}},
		"    load_entry_point('streamlink==0.0.2', 'console_scripts', 'streamlink')()":                           {{"streamlink", "0.0.2"}},
		"Mitmproxy version: 2.0.2 (release version) Precompiled Binary":                                          {{"Mitmproxy", "2.0.2"}},
		"  File \"/usr/local/Cellar/mitmproxy/2.0.1/libexec/lib/a.py\", line 2":                                  {{"mitmproxy", "2.0.1"}},
		"#### What is your version (output from `rclone version`)\n\n1.73.0":                                     {{"rclone", "1.73.0"}},
		"caddy v2 dccba71276796999f3e16a6560016dc5dd0a952a":                                                      {{"caddy", "dccba71276796999f3e16a6560016dc5dd0a952a"}},
		"A different error today. Running version `1.7.9` of the wro4j-runner":                                   {{"version", "1.7.9"}},
		"As of e27b702, when running `./gpmf-parser $FILE`":                                                      {{"commit", "e27b702"}},
		"as of 20190507 it crashes":                                                                              nil,
		"built from commit 5488565cd2bc89682f4cfe7b0200000001f08c0f81083679288e14c9db42a2e1 of SHA-256":          {{"commit", "5488565cd2bc89682f4cfe7b0200000001f08c0f81083679288e14c9db42a2e1"}},
		"$ git rev-parse HEAD\n3c5ceac8e7df14e2bd236aa4031c83e46b82e010":                                         {{"commit", "3c5ceac8e7df14e2bd236aa4031c83e46b82e010"}},
		"prometheus, version 2.3.2 (branch: HEAD, revision: 71af5e29e815795e9dd14742ee7725682fa14b7b)":           {{"prometheus", "2.3.2"}, {"commit", "71af5e29e815795e9dd14742ee7725682fa14b7b"}},
		"broken since https://github.com/netty/netty/commit/2c99fc0f1290c65685c5036fdc9884921823ad7d":            nil,
		"this fails since commit 2c99fc0f1290c65685c5036fdc9884921823ad7d":                                       nil,
		"java.lang.X: cause\n\tat io.netty.A.b(A.java:39) ~[netty-common-4.1.67.Final.jar:4.1.67.Final]":         {{"netty-common", "4.1.67.Final"}, {"netty-common-4.1.67.Final.jar", "4.1.67.Final"}},
		"since 4.1.37\nupgrade to Netty 4.1.37 in an application":                                                {{"since", "4.1.37"}, {"Netty", "4.1.37"}},
		"### Netty version\n4.1.50":                                                                              {{"Netty", "4.1.50"}},
		"/usr/local/bin/caddy2 version\nv2.4.3 h1:Y1FaV2N4WO3rBqxSYA8UZsZTQdN+PwcoOcAiZTM8C0I=":                  {{"caddy2", "2.4.3"}},
		"    #0 0x564c6e1be8bb in jv_array_set /home/jq-1.7.1/src/jv.c:997:3":                                    {{"jq", "1.7.1"}},
		"* __Service:__ none\n* __Version:__ 0.21.6\n* __OS:__ Linux Android 11 - 30":                            {{"version", "0.21.6"}},
		"| version            | 0.68.0            |":                                                             {{"version", "0.68.0"}},
		"| commit_hash        | b0e5723a68d77b42d756879ab7773fdee81f8924        |":                               {{"commit", "b0e5723a68d77b42d756879ab7773fdee81f8924"}},
		"borg, version 21.3-1-g6803368d":                                                                         {{"borg", "21.3-1-g6803368d"}},
		"    at s (/media/don/DEV/.cache/.vscode/extensions/vlang-vscode.vscode-vlang-0.1.5/src/utils.ts:42:47)": {{"vscode-vlang", "0.1.5"}},
		"\tat un (c:\\Users\\x\\.vscode\\extensions\\a.arduino-maker-workshop-1.0.6-win32-x64\\b.js:28:953)":     {{"arduino-maker-workshop", "1.0.6"}},
		"jq-1.5rc2": {{"jq", "1.5rc2"}},
		"immediately after upgrade from Jedis 2.9.0 to 3.2.0":                              {{"Jedis", "2.9.0"}, {"Jedis", "3.2.0"}},
		"since upgrading from version 3.3 to 3.3a":                                         {{"from", "3.3"}, {"from", "3.3a"}},
		"Syncthing Version: v0.12.21 and 0.12.22":                                          {{"Syncthing", "0.12.21"}, {"Syncthing", "0.12.22"}},
		"lazygit-0.27.1 crashes\nas lazygit-0.27 does, lazygit-0.27.1":                     {{"lazygit", "0.27"}, {"lazygit", "0.27.1"}},
		"Version: 0.11.0-alpha\nBuild: c7f11149d7146427b96be5375aff10d5bc899f5a":           {{"version", "0.11.0-alpha"}, {"commit", "c7f11149d7146427b96be5375aff10d5bc899f5a"}},
		"Build: $Id: e673f2da02185a1c2b6dea52842b0a8c7e7a03b9 $":                           {{"commit", "e673f2da02185a1c2b6dea52842b0a8c7e7a03b9"}},
		"a bug, still present on the last head: 778612d1526a7c927106609f4925da365e41c498.": {{"commit", "778612d1526a7c927106609f4925da365e41c498"}},
		"valgrind: the server at 127.0.0.1:6379 is gone":                                   {{"at", "127.0.0.1"}},
		"libfoo.so.1.2.3(main+0x12) [0x7f12]":                                              {{"libfoo.so", "1.2.3"}},
		"took 0.5 s. 3.4.":                                                                 {{"took", "0.5"}, {"s", "3.4"}},
		"1.2.3.5":                                                                          {{"", "1.2.3.5"}},
		"# 0.14.3 crashes when the shell is gone":                                          {{"", "0.14.3"}},
		"NeoMutt 20180716-952-a2da0a":                                                      {{"NeoMutt", "20180716-952-a2da0a"}},
		"20180716-566-b63e77":                                                              {{"", "20180716-566-b63e77"}},
		"Ubuntu 16.04 & WavPack revision 0a7295 (HEAD)":                                    {{"Ubuntu", "16.04"}, {"commit", "0a7295"}},
		"id 2018-12-13-14 of a decade (HEAD), rev facade (HEAD)":                           nil,
		"APP_VERSION_NAME=1.4.6":                                                           {{"version", "1.4.6"}},
		"helix 22.08.1 (4ec2a21c)":                                                         {{"helix", "22.08.1"}, {"commit", "4ec2a21c"}},

		"pe_reader (latest master [4bbe410](https://github.com/lief-project/LIEF/commit/4bbe410333c0d727df6bc1f3bc92d4d5adc4726e))": {{"commit", "4bbe410333c0d727df6bc1f3bc92d4d5adc4726e"}},
		"sela (latest master [ca09cb](https://github.com/sahaRatul/sela/commit/ca09cbd80bd6084bca08288d980c7f6928571bbb))":          {{"commit", "ca09cbd80bd6084bca08288d980c7f6928571bbb"}},
		"causes vcftools (the latest commit `15db94b` on master) to abort":                                                          {{"commit", "15db94b"}},
		"it crashes at commit 15db94b of the main branch":                                                                           {{"commit", "15db94b"}},
		"it crashes at commit 15db94b on main":                                                                                      {{"commit", "15db94b"}},
		"this is fixed by the latest commit 15db94b":                                                                                nil,
		"using latest git version (v2.1r7ac4679), options used were":                                                                {{"git", "2.1"}, {"commit", "7ac4679"}},
		"Name: swaylock-git 1.6.r11.g2eadd92-1":                                                                                     {{"swaylock-git", "1.6"}, {"commit", "2eadd92"}},
		"found on current master (3c5ceac)":                                                                                         {{"commit", "3c5ceac"}},
		"fixed on master by 3c5ceac8e7df14":                                                                                         nil,
		" - Application Version: 6.3.1":                                                                                             {{"version", "6.3.1"}},
		"- Version of Kiwix Android: 3.9.1":                                                                                         {{"Kiwix Android", "3.9.1"}},
		"This is 1.6.2, since I've not updated to 1.6.3 yet due to #107 .":                                                          {{"version", "1.6.2"}, {"to", "1.6.3"}},
		"Found on FreeBSD with Clang 8. Lines correspond to f529e57c3eee snapshot.":                                                 {{"commit", "f529e57c3eee"}},

		// python/mypy#3415, Exiv2/exiv2#454, sequelize/sequelize#5218.
		"I ran the latest mypy from master (commit 13b7573). I didn't get this error with mypy version 0.511.": {{"commit", "13b7573"}},
		"error: INTERNAL ERROR -- version: 0.520-dev-13b75737bb41d62ae4e7714704dcda3b446fa9f4":                 {{"ERROR", "0.520-dev-13b75737bb41d62ae4e7714704dcda3b446fa9f4"}},
		"Tested in Ubuntu 16.04, 64bit, Exiv2(master b6a8d39)":                                                 {{"Ubuntu", "16.04"}, {"commit", "b6a8d39"}},
		"(/srv/m/test/exiv2-b6a8d39613a28603a989bd5278798db8a54eeb1e/lib/libexiv2.so.0+0x3dbcb4)":              {{"exiv2", "b6a8d39613a28603a989bd5278798db8a54eeb1e"}},
		"this was fixed in master (13b7573)":                                                                   nil,
		"Only occurring on version 3.17.1. 3.16.0 is fine. Using MSSQL dialect.":                               {{"version", "3.17.1"}},
		"It worked in hugo 0.55.1 and 0.55.2, but crashes in hugo 0.56.0":                                      {{"hugo", "0.56.0"}},
		"it no longer works with hugo 0.56.0":                                                                  {{"hugo", "0.56.0"}},
		"Downgrading to hugo 0.55 helps":                                                                       nil,
		// rrrene/credo#110, astral-sh/ruff#9542, helix-editor/helix#619.
		"Embarrasing. Please try Credo `v0.4.1`!":                                                    nil,
		"It was v0.1.0. Upgrading to 0.1.13 resolved it":                                             {{"was", "0.1.0"}},
		"Fix released in `@brillout/entry@0.5.3`. Update it.":                                        nil,
		"`4.0.3` has been released.":                                                                 nil,
		"a bug that is still not fixed in hugo 0.56.0":                                               {{"hugo", "0.56.0"}},
		"tested with commit: https://github.com/a/b/commit/098b6b6eedf6da8e760b334d61acef56be8d258b": {{"commit", "098b6b6eedf6da8e760b334d61acef56be8d258b"}},
		"  File \"/srv/.pyenv/versions/sqlfluff-3.6.4/bin/sqlfluff\", line 11, in <module>":          nil, // sqlfluff/sqlfluff#313
		"I am working on hugo 0.56.0, and it does not work in the browser":                           {{"hugo", "0.56.0"}},

		"#0 0x4005d6 in main /src/a.c:3": nil,
	} {
		s := &scanner{}
		for part := range strings.Lines(line) {
			s.mention([]byte(part))
		}
		same := func(m crash.Mention, w named) bool { return m.Name == w.name && m.Version == w.version }
		if !slices.EqualFunc(s.Report.Mentions, want, same) {
			t.Errorf("%s: %v, want %v", line, s.Report.Mentions, want)
		}
	}
}

// A hostile line ends, and a report keeps a bounded number of versions.
func TestMentionsAreBounded(t *testing.T) {
	s := &scanner{}
	for i := range 1000 {
		s.mention(fmt.Appendf(nil, "package%d 1.%d", i, i))
	}
	s.mention([]byte(strings.Repeat(".", 100_000)))
	kept := s.Report.Mentions
	if len(kept) != maxMentions || kept[0].Name != "package0" || kept[maxMentions-1].Name != "package999" || kept[maxMentions/2].Name != "package900" {
		t.Errorf("%d mentions: %v", len(kept), kept)
	}
	s = &scanner{}
	s.mention([]byte("x " + strings.Repeat("1.2", 100_000)))
	for _, m := range s.Report.Mentions {
		if len(m.Version) > maxRaw {
			t.Errorf("%d bytes", len(m.Version))
		}
	}
}

func BenchmarkMention(b *testing.B) {
	for name, text := range map[string]string{
		"java": "\tat org.apache.kafka.clients.consumer.KafkaConsumer.poll(KafkaConsumer.java:1234) ~[kafka-clients-2.3.0.jar:?]",
		"gdb":  "#12 0x00007ffff7a42428 in mysql_execute_command (thd=0x7fff8c000b20, first_level=true) at sql/sql_parse.cc:2952",
	} {
		b.Run(name, func(b *testing.B) {
			line := []byte(text)
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				s := &scanner{}
				s.mention(line)
			}
		})
	}
}

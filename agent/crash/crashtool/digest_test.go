package crashtool

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
)

// The arguments of gdb frames are shown; frames of other formats are not searched for arguments.
func TestArguments(t *testing.T) {
	for raw, want := range map[string]string{
		"#3  0x01 in f (a=1, b=0x0) at x.c:3":        "a=1, b=0x0",
		"#0  f (s=0x1 \"(x) at y\") at x.c:3":        `s=0x1 "(x) at y"`,
		"#1  0x02 in ns::f(int) (this=0x0) at x.c:1": "this=0x0",
		"#1  0x02 in f () at x.c:1":                  "",
		"    #1 0x2 in f(int) x.c:3:4":               "",
	} {
		if got := (&frameLister{Case: &Case{}}).argumentsOf(crash.Frame{Raw: raw, Path: "x.c"}); got != want {
			t.Errorf("%q has %q, want %q", raw, got, want)
		}
	}
}

// The frames of other code between the signal and the project are shown by name: the failing access is
// in the library. Frames without a name have one number. The stacks are of FRR's 51a97a07d8 and of
// OVS's d5d0c94551, shortened.
func TestFramesBeforeTheProject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`#0  raise (sig=<optimized out>) at ../sysdeps/unix/sysv/linux/raise.c:50
#1  0x00007f3fd2d16e57 in core_handler (signo=11, siginfo=0x7ffffd5931b0, context=0x7ffffd593080) at lib/sigevent.c:246
#2  <signal handler called>
#3  0x00007f3fd26926b4 in tommy_list_head (list=0x2e322e302e323931) at /build/git/rtrlib/third-party/tommyds/tommylist.h:125
#4  0x00007f3fd2693812 in rtr_mgr_get_first_group (config=0x55fbf31d7f00) at /build/git/rtrlib/rtrlib/rtr_mgr.c:409
#5  0x00007f3fd2ebef59 in get_connected_group () at bgpd/bgp_rpki.c:718
`: "#3 tommy_list_head() third-party/tommyds/tommylist.h:125\n#4 rtr_mgr_get_first_group() rtrlib/rtrlib/rtr_mgr.c:409\n#5 get_connected_group() bgpd/bgp_rpki.c:718\n",
		`==25513==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000
    #0 0x7ff7582aa0a9 in __GI___strlen_sse2
    #1 0x7ff759bdde81  (/lib64/libasan.so.5+0xace81)
    #2 0x4dbaa7 in stream_ssl_set_certificate_file__ lib/stream-ssl.c:1170
`: "#0 __GI___strlen_sse2()\n#1 0x7ff759bdde81  (/lib64/libasan.so.5+0xace81)\n#2 stream_ssl_set_certificate_file__() lib/stream-ssl.c:1170\n",
	} {
		report := read(t, text)
		for i := range report.Stacks[0].Frames {
			if f := &report.Stacks[0].Frames[i]; strings.HasPrefix(f.File, "bgpd/") || strings.HasPrefix(f.File, "lib/") {
				f.Path = f.File
			}
		}
		if got := (&Case{Report: report}).StacksInShort(); !strings.HasSuffix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

package sandbox

import (
	"slices"
	"testing"
)

// A command keeps this process's control groups where one of version 1 has a path: the JVM of JDK 17 died with a
// NullPointerException in CgroupUtil there. The groups are those of containers, and of a desktop with version 2.
func TestControlGroupsOfVersion1AreShared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		groups string
		shared bool
	}{
		"a container":             {"9:name=systemd:/\n4:memory:/process_api/99f1803924eb\n1:cpu:/\n0::/\n", true},
		"version 1 at the root":   {"9:name=systemd:/\n4:memory:/\n1:cpu:/\n0::/\n", false},
		"version 2":               {"0::/user.slice/user-1000.slice/session-2.scope\n", false},
		"both, as of old systemd": {"5:cpu,cpuacct:/user.slice\n1:name=systemd:/user.slice\n0::/user.slice\n", true},
		"no control groups":       {"", false},
	} {
		got := unshared(c.groups)
		if all := slices.Equal(got, []string{"--unshare-all"}); all == c.shared {
			t.Errorf("%s: %q", name, got)
		}
		for _, ns := range []string{"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-user-try"} {
			if c.shared && !slices.Contains(got, ns) {
				t.Errorf("%s: no %s in %q", name, ns, got)
			}
		}
	}
}

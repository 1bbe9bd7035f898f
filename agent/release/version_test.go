package release

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
)

// Versions of common spellings are in the order in which they were released.
func TestCompareVersions(t *testing.T) {
	for _, line := range []string{
		"v0.9 v0.10 v1.0-rc1 v1.0-rc2 v1.0-rc10 v1.0 v1.0.1 v1.1",
		"1.2.3.dev1 1.2.3a1 1.2.3b1 1.2.3rc1 1.2.3 1.2.3.post1 1.2.4",
		"release-1.2.3-beta release-1.2.3 release-1.10.0",
		"foo-1.2.3 foo-1.2.3-1 foo-1.2.3-2 foo-1.3",
		"curl-7_9 curl-7_9_1 curl-7_10 curl-7_88_1 curl-8_0_0",
		"REL_1_2_BETA1 REL_1_2_RC1 REL_1_2 REL_1_2_1 REL_1_10",
		"OpenSSL_1_0_2 OpenSSL_1_0_2a OpenSSL_1_0_2z OpenSSL_1_0_2za OpenSSL_1_1_0-pre1 OpenSSL_1_1_0 OpenSSL_1_1_1w",
		"v1.0.0-alpha v1.0.0-alpha.1 v1.0.0-beta.2 v1.0.0-beta.11 v1.0.0-rc.1 v1.0.0 v1.0.0+build",
		"2.0.0-SNAPSHOT 2.0.0-M1 2.0.0.CR1 2.0.0.Final 2.0.1.Final",
		"V_9_8_P1 V_9_8_P2 V_9_9",
		"android-13.0.0_r1 android-13.0.0_r2 android-13.0.0_r10 android-14.0.0_r1",
		"release-4-2-7 release-4-10-1 release-60-1",
		"v249 v249.1 v249.10 v250-rc1 v250",
		"2019-12-31 2020-01-02", "20191231 20200102",
		"foo2-1.2.3 foo2-1.10.0", "pkg/v1.2.3 pkg/v1.10.0",
	} {
		want := strings.Fields(line)
		var got []version
		for _, tag := range want {
			v, ok := parseVersion(tag)
			if !ok {
				t.Errorf("%s is no version", tag)
			}
			got = append(got, v)
		}
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, compareVersions)
		for i, v := range got {
			if v.tag != want[i] {
				t.Errorf("%s: got %s at place %d", line, v.tag, i)
				break
			}
		}
	}
}

func TestFamily(t *testing.T) {
	for tag, want := range map[string]string{
		"v1.2.3": "", "1.2": "", "release-1.2.3": "", "releases/1.2": "", "REL_1_2": "", "V_9_8_P1": "", "r1.2": "",
		"curl-7_88_1": "curl", "foo-v1.2.3": "foo", "foo2-1.2.3": "foo2", "pkg/sub/v1.2.3": "pkg/sub", "@x/y@1.2.3": "@x/y",
	} {
		if v, ok := parseVersion(tag); !ok || v.family != want {
			t.Errorf("%s is of the family %q, not %q", tag, v.family, want)
		}
	}
	for _, tag := range []string{"latest", "-", "v", "..", "v99999999999999999999999", "nightly-é"} {
		if v, ok := parseVersion(tag); ok {
			t.Errorf("%q is the version %v", tag, v.nums)
		}
	}
}

func TestLineName(t *testing.T) {
	for _, c := range []struct {
		tag    string
		length int
		want   string
	}{
		{"v1.2.9", 2, "v1.2.x"}, {"v1.2.9-rc1", 2, "v1.2.x"}, {"v1.2", 2, "v1.2.x"}, {"v1.2.3.4", 2, "v1.2.x"}, {"v5", 2, "v5.x"},
		{"curl-7_88_1", 2, "curl-7_88_x"}, {"v249.3", 1, "v249.x"}, {"OpenSSL_1_0_2k", 3, "OpenSSL_1_0_2x"}, {"release-4-2-7", 2, "release-4-2-x"},
	} {
		v, _ := parseVersion(c.tag)
		if got := lineName(v, c.length); got != c.want {
			t.Errorf("%s is of the line %s, not %s", c.tag, got, c.want)
		}
	}
}

// Ranges end where a release line ends that the next one does not continue.
func TestCompress(t *testing.T) {
	g := &graph{}
	add := func(parents ...int32) int32 {
		g.Parents, g.OIDs = append(g.Parents, parents), append(g.OIDs, "")
		return int32(len(g.Parents) - 1)
	}
	var tags []tagState
	tag := func(name string, at int32, state string) {
		one := tagState{at: at, affected: state == "bad", fixed: state == "fixed", p: 0.3}
		one.Name = name
		tags = append(tags, one)
	}
	base := add()
	tag("v1.0.0", base, "")
	a := add(base)
	tag("v1.1.0", a, "bad")
	b := add(a)
	tag("v1.1.1", b, "bad") // beside the main line
	c := add(a)
	tag("v1.2.0", c, "bad")
	d := add(c)
	tag("v1.3.0-rc1", d, "bad")
	tag("v1.3.0", add(d), "fixed")
	tag("v1.2.1", add(c), "bad")
	tag("v1.2.2", add(c), "fixed")
	tag("-x", d, "bad")
	ranges, others := g.compress(tags)
	var got []string
	for _, r := range ranges {
		got = append(got, fmt.Sprintf("%s..%s %s %s %.1f", r.First, r.Last, r.Line, r.FixedIn, r.Probability))
	}
	want := []string{"v1.1.0..v1.1.1 v1.1.x  0.3", "v1.2.0..v1.2.1 v1.2.x v1.2.2 0.3", "v1.3.0-rc1..v1.3.0-rc1 v1.3.x v1.3.0 0.3"}
	if !slices.Equal(got, want) || !slices.Equal(others, []string{"-x"}) {
		t.Errorf("got  %q %q\nwant %q", got, others, want)
	}
}

// A project without branches has one range, even if each release is tagged beside the history.
func TestCompressWithoutBranches(t *testing.T) {
	for _, beside := range []bool{false, true} {
		g := &graph{}
		var tags []tagState
		last := int32(-1)
		add := func() int32 {
			var parents []int32
			if last >= 0 {
				parents = []int32{last}
			}
			g.Parents, g.OIDs = append(g.Parents, parents), append(g.OIDs, "")
			g.OIDs[len(g.OIDs)-1] = gitext.OID(fmt.Sprint(len(g.OIDs)))
			return int32(len(g.Parents) - 1)
		}
		for i := range 30 {
			last = add()
			at := last
			if beside {
				at = add()
			}
			one := tagState{at: at, affected: i > 2 && i < 25, fixed: i >= 25}
			one.Name, one.Commit = fmt.Sprintf("v1.%d.0", i), g.OIDs[at]
			tags = append(tags, one)
		}
		ranges, _ := g.compress(tags)
		if len(ranges) != 1 || ranges[0].First != "v1.3.0" || ranges[0].Last != "v1.24.0" || ranges[0].FixedIn != "v1.25.0" {
			t.Errorf("beside %v: %+v", beside, ranges)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("v1.2.3-rc1")
	f.Add("-1_2_")
	f.Fuzz(func(t *testing.T, tag string) {
		v, ok := parseVersion(tag)
		if !ok {
			return
		}
		for length := range 5 {
			if length > 0 && !strings.HasPrefix(lineName(v, length), tag[:1]) {
				t.Errorf("the line of %q is %q", tag, lineName(v, length))
			}
		}
		if compareVersions(v, v) != 0 {
			t.Errorf("%q differs from itself", tag)
		}
	})
}

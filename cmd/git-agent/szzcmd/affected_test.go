package szzcmd

import "testing"

func TestPublicURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/a/b.git":            "https://github.com/a/b.git",
		"https://user:secret@example.org/a?t=1": "https://example.org/a",
		"git@github.com:a/b.git":                "https://github.com/a/b.git",
		"ssh://git@example.org:22/a/b":          "ssh://example.org:22/a/b",
		"git://git.example.org/a":               "git://git.example.org/a",
		"/srv/git/a":                            "",
		"../a":                                  "",
		"file:///srv/git/a":                     "",
		"ext::sh -c x":                          "",
		"https://example.org/%zz":               "",
		"C:\\git\\a":                            "",
		"host:a/b":                              "",
		"a b@c:d":                               "https://c/d",
	} {
		if got := publicURL([]string{text}); got != want {
			t.Errorf("%q has the public URL %q, not %q", text, got, want)
		}
	}
	if got := publicURL([]string{"/local", "https://b/x", "https://a/x"}); got != "https://b/x" {
		t.Errorf("of several URLs: %q", got)
	}
}

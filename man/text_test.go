package man

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Text formats each macro that the pages use as man(1) does.
func TestText(t *testing.T) {
	source := strings.Join([]string{
		`.TH X 1`,
		`.\" a comment`,
		`.SH NAME`,
		`x \- do \fBsomething\fR`,
		`.SH OPTIONS`,
		`A paragraph that is long enough to be broken into lines.`,
		`.PP`,
		`.BR a (1),`,
		`.I b`,
		`.TP`,
		`\fB\-v\fR`,
		`Short.`,
		`.TP`,
		`\fB\-\-long=\fI<value>\fR`,
		`Text below \fIthe tag\fR.`,
		`.nf`,
		`as  it`,
		`  stands`,
		`.fi`,
		`.SS Sub "heading"`,
		`.RS`,
		`In.`,
		`.RE`,
		`Out.`,
		`.IP \(en`,
		`item \(dqone\(dq \e`,
	}, "\n")
	want := strings.Join([]string{
		`NAME`,
		`       x - do something`,
		``,
		`OPTIONS`,
		`       A paragraph that is`,
		`       long enough to be`,
		`       broken into lines.`,
		``,
		`       a(1), b`,
		``,
		`       -v     Short.`,
		``,
		`       --long=<value>`,
		`              Text below the`,
		`              tag.`,
		`              as  it`,
		`                stands`,
		``,
		`   Sub heading`,
		`           In.`,
		`       Out.`,
		``,
		`       –   item "one" \`,
		``,
	}, "\n")
	if got := Text(source, 30, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Bold and italic text goes through the style, whose output does not count as
// columns.
func TestTextStyles(t *testing.T) {
	style := func(font byte, s string) string { return "<" + string(font) + ":" + s + ">" }
	got := Text(".SH A\n\\fBone two\\fR three \\fIfour\\fR", 22, style)
	want := "<B:A>\n       <B:one> <B:two> three\n       <I:four>\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every page begins with its name, and Install writes exactly all pages.
func TestInstall(t *testing.T) {
	files, err := Install(t.TempDir(), func(file, page string) error { return os.WriteFile(file, []byte(page), 0o644) })
	all := slices.Concat(Names(), Guides())
	if err != nil || len(files) != len(all) || len(Guides()) == 0 {
		t.Errorf("installed %q: %v", files, err)
	}
	for _, name := range all {
		page, err := Page(name)
		if err != nil {
			t.Fatal(err)
		}
		if text := Text(page, 80, nil); !strings.HasPrefix(text, "NAME\n       "+name+" - ") {
			t.Errorf("%s begins with %.60q", name, text)
		}
	}
}

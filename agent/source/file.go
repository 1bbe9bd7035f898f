package source

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// A FileKind says what a file is for, from the view of a search for the origin of a bug.
type FileKind int

// The kinds of files.
const (
	SourceFile FileKind = iota
	TestFile
	OtherFile // documents, data and build files; a fix of source often changes these too
)

var (
	testDirs = Lazy(`(?i)(^|/)(_?tests?|testing|unittests?|spec|specs|__tests__|testdata|testsuite|t)/`)
	testName = Lazy(`(?i:^test[_-].*|.*[_.-](test|tests|spec)(-d)?\.[a-z+]+$|.*\.(test|spec)\.[a-z]+$)|^[A-Z]\w*Tests?\.(java|kt|cs|scala|groovy)$`)

	// These files have no behaviour, or are a generated form of it.
	otherExt = WordSet(`.md .mdx .markdown .rdoc .rst .txt .adoc .asciidoc .html .htm .css .svg .po .pot .json .lock .sum
.csv .tsv .xml .ini .cfg .conf .toml .yml .yaml .properties .log .png .pdf .asc .sig .sha256 .sha512 .tex .ps .1 .3 .5 .7 .8 .man
.sln .slnx .csproj .fsproj .vbproj .vcxproj .props .targets .nuspec .resx .filters .iml .plist .pbxproj .xcscheme .xctestplan .xcworkspacedata
.podspec .gemspec .api .gitignore .gitattributes .gitmodules .editorconfig .mailmap .map .snap .out .in .am .ac .m4`)
	otherName = WordSet(`changelog changes news readme authors maintainers license copying todo thanks contributors
makefile gnumakefile cmakelists.txt meson.build build.gradle pom.xml package.json configure version
mdate-sh install releases history vagrantfile dockerfile .travis.yml`)
)

// wholeTests matches the one file of tests of a small project, at the top of its tree, as ava and unittest run it, and
// Django's of a package. A test.py elsewhere may be code that others test with.
var wholeTests = Lazy(`^tests?\.([cm]?[jt]sx?|py|rb|php|pl|lua|sh|c|cc|cpp)$|(^|/)tests\.py$`)

// FileKindOf returns the kind of a file from its path alone. Style sheets and markup are
// OtherFile. A caller that finds no source files may treat them as source.
func FileKindOf(p string) FileKind {
	base := strings.ToLower(path.Base(p))
	stem := base
	if i := strings.IndexByte(base, '.'); i > 0 {
		stem = base[:i]
	}
	switch {
	case otherName[base], otherName[stem] && (stem == base || otherExt[path.Ext(base)]):
		return OtherFile
	case testDirs().MatchString(p), testName().MatchString(path.Base(p)), wholeTests().MatchString(p):
		return TestFile
	case otherExt[path.Ext(base)]:
		return OtherFile
	}
	return SourceFile
}

// documentExt and documentName select the files of the kind OtherFile that no build uses and no
// program reads at run time.
var (
	documentExt = WordSet(`.md .mdx .markdown .rdoc .rst .txt .adoc .asciidoc .html .htm .svg .po .pot .lock .sum .log .png
.pdf .asc .sig .sha256 .sha512 .tex .ps .1 .3 .5 .7 .8 .man .api .gitignore .gitattributes .mailmap .snap .out`)
	documentName = WordSet(`changelog changes news readme authors maintainers license copying todo thanks contributors
mdate-sh install releases history version`)
)

// listExt selects the files of documentExt that people do not read, buildText the text-like files
// for tools, and buildExt the scripts and data that may have the name of a document.
var (
	listExt   = WordSet(`.lock .sum .log .api .gitignore .gitattributes .mailmap .snap .out`)
	buildText = WordSet(`cmakelists.txt requirements.txt constraints.txt meson_options.txt`)
	buildExt  = WordSet(`.in .am .ac .m4 .json .xml .ini .cfg .conf .toml .yml .yaml .properties`)
)

// IsBuildOrData reports, from the path alone, whether a file is part of the build, such as a
// Makefile, or data that the project reads, such as YAML. Source, tests, documents and lists of
// dependencies' checksums are not.
func IsBuildOrData(p string) bool {
	if FileKindOf(p) != OtherFile {
		return false
	}
	base := strings.ToLower(path.Base(p))
	stem, _, _ := strings.Cut(base, ".")
	return base == "cmakelists.txt" || !documentName[stem] && !documentExt[path.Ext(base)]
}

// manual matches the sources of manual pages, including templates for the build.
var manual = Lazy(`\.[1-8](?:\.in|\.xml|\.rst|\.xml\.in)?$`)

// Stem returns the name of a file without its directory and its last extension.
func Stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

// AreTests reports whether paths are those of tests, and beside them at most of documents.
func AreTests(paths []string) bool {
	tests := 0
	for _, p := range paths {
		switch {
		case FileKindOf(p) == TestFile:
			tests++
		case !IsDocument(p):
			return false
		}
	}
	return tests > 0
}

// IsDocument reports, from the path alone, whether a file is written only for people, such as
// NEWS, a change log or a manual page.
func IsDocument(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem, _, _ := strings.Cut(base, ".")
	switch {
	case FileKindOf(p) != OtherFile, buildText[base]:
		return false
	case manual().MatchString(base):
		return true
	case listExt[path.Ext(base)]:
		return false
	}
	return documentName[stem] && stem != "version" && stem != "mdate-sh" && !buildExt[path.Ext(base)] || documentExt[path.Ext(base)]
}

// PathWords returns the words of a path, for comparison with prose.
func PathWords(p string) Bag {
	b := Bag{}
	b.AddWords(strings.NewReplacer("/", " ", ".", " ", "-", " ").Replace(p))
	return b
}

// PathSet returns the paths as a bag, each once.
func PathSet(paths []string) Bag {
	b := Bag{}
	for _, p := range paths {
		b[p] = 1
	}
	return b
}

// WordsOfPaths returns the words of the first paths of a list.
func WordsOfPaths(paths []string) Bag {
	const most = 30
	b := Bag{}
	for _, p := range paths[:min(len(paths), most)] {
		for w := range PathWords(p) {
			b[w]++
		}
	}
	return b
}

// testFile matches the names of test files and directories by the conventions of Go, JUnit,
// Surefire, ScalaTest, XCTest, GoogleTest, pytest, RSpec, Jest, Vitest, Bats and TAP. Unlike testName, it
// counts a capital T as the beginning of a word, because a fix's test files are laid over other
// commits before a command runs: Contest.java could be the fix itself.
var testFile = Lazy(`(^|/)(` +
	`[Tt]ests?[_-][^/]*|[^/]*[_.-]([Tt]ests?|[Ss]pec)(-d)?\.[a-z+]+` +
	`|Test[A-Z]\w*\.(java|kt|cs|scala|groovy|cpp|cc|h|py|php|swift)` +
	`|\w+(Test|Tests|TestCase|TestSuite|Spec|IT|ITCase)\.(java|kt|kts|cs|scala|groovy|cpp|cc|h|hpp|php|swift|m|mm|dart|vb|fs)` +
	`|\w+[_-]unittests?\.\w+|conftest\.py|[^/]+\.(bats|t)` +
	`)$|(^|/)(__snapshots__|__mocks__|__tests_\w+__|selftests?|[a-z0-9]+[_-]tests?|tests?[_ -][a-z0-9]+|e2e|fixtures|androidTest|integrationTest)/`)

// IsTestPath reports, from the path alone, whether a file belongs to a project's tests, or is
// read by them. It does not find tests within source files, such as Rust's unit tests.
func IsTestPath(p string) bool {
	return testDirs().MatchString(p) || testFile().MatchString(p) || wholeTests().MatchString(p)
}

// vendored matches the paths of code that a project copies from elsewhere, or generates.
var vendored = Lazy(
	`(?:^|/)(?:vendor|node_modules|bower_components|third[_-]?party|3rdparty|Godeps|site-packages|\.yarn|Pods)/|\.min\.js$|(?:^|/)dist/[^/]*\.js$|amalgamat|(?:^|/)single_include/`,
)

// IsVendored reports, from the path alone, whether a project copies a file from elsewhere, or
// generates it from other files, so that nobody edits it by hand.
func IsVendored(p string) bool { return vendored().MatchString(p) }

// generatedMark matches comments that generators write at the top of a file. A line of prose may begin with "generated by"
// in small letters, for it may go on a sentence.
var generatedMark = Lazy(`^\W*(?:(?i:` +
	`code generated |@generated\b|<?auto-?generated\b>?\W*$` +
	`|(?:this|the following) (?:file|code|source) (?:is|was|has been) (?:auto-?|automatically |machine[- ])?(?:generated|built|created automatically)\b` +
	`|.*\b(?:auto-?generated|automatically generated|generated by)\b.*(?:do not|don't) (?:edit|modify)|.*do not (?:edit|modify).*generated` +
	`|do not (?:edit|modify|change) this file\b` +
	`|line \S+\.(?:rl|y|l|re):\d|a bison parser, made by |a lexical scanner generated by |(?:ansi-)?c(?:\+\+)? code produced by gperf)` +
	`|(?:Generated|GENERATED|(?:Auto-?|AUTO-?|Automatically |Machine[- ])(?:generated|GENERATED)) (?:by|By|BY|from|with|using)\b)`)

// generatedWords are in lower case; each line that generatedMark matches has one of them.
var generatedWords = [][]byte{
	[]byte("generated"), []byte("built"), []byte("created"), []byte("not edit"), []byte("not modify"), []byte("not change"),
	[]byte("bison parser"), []byte("gperf"), []byte("line "),
}

// IsGenerated reports whether the first lines of a file's text say that a program wrote it.
func IsGenerated(text []byte) bool {
	left := 20 // lines
	for l := range bytes.SplitSeq(text, []byte{'\n'}) {
		l = l[:min(len(l), 500)]
		low := bytes.ToLower(l)
		says := func(word []byte) bool { return bytes.Contains(low, word) }
		if slices.ContainsFunc(generatedWords, says) && generatedMark().Match(l) {
			return true
		}
		if left--; left == 0 {
			break
		}
	}
	return false
}

package offline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A version is the version of the repository's own program that a report mentions.
type version struct {
	said   string      // as the report has it
	commit gitext.OID  // "" if no commit and no tag of the repository fits
	near   *gitext.Tag // without a commit: the newest tag of an older version, nil if there is none
	before bool        // the commit is that of the release before which the version was built
}

// versionOf looks for the program's version among the mentions of a report. A version that ends
// with a commit's id, as git describe prints it, counts under every name if the repository has
// the commit. Other versions count under the names of the repository, and name a tag. Of several,
// the last with a commit counts, because a log may begin before an upgrade. The result is nil if
// the report mentions no version of the repository, or if a tool says that it builds the
// version of HEAD's manifest from a work tree: that is no release.
func versionOf(ctx context.Context, repo *gitext.Repo, mentions []crash.Mention) (*version, error) {
	if len(mentions) == 0 {
		return nil, nil
	}
	if v := commitIn(ctx, repo, mentions); v != nil {
		return v, nil
	}
	names, err := namesOf(ctx, repo)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(slices.Clone(mentions), func(m crash.Mention) bool { return !names.has(m.Name) })
	if slices.ContainsFunc(own, names.builtHere) {
		return nil, nil
	}
	if len(own) == 0 {
		own = slices.DeleteFunc(slices.Clone(mentions), func(m crash.Mention) bool { return m.Name != crash.VersionLabel })
	}
	if len(own) == 0 {
		return nil, nil
	}
	tags, err := repo.Tags(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(own) {
		if oid, ok := buildCommit(ctx, repo, m.Version); ok {
			return &version{said: m.Name + " " + oid.Short(), commit: oid}, nil
		}
		if tag := tagOf(tags, m.Version); tag != nil {
			return &version{said: m.Name + " " + m.Version, commit: tag.Commit, before: isBefore(m.Version, *tag)}, nil
		}
	}
	last := own[len(own)-1]
	if _, err := gitext.ParseOID(last.Version); err == nil {
		return &version{said: fmt.Sprintf("%s %.12s", last.Name, last.Version)}, nil // of another clone
	}
	if near := nearest(tags, last.Version); near != nil {
		return &version{said: last.Name + " " + last.Version, near: near}, nil
	}
	return nil, nil
}

// commitIn returns the last version that ends with the id of a commit of the repository, or that is
// called the build's commit; nil if there is none.
func commitIn(ctx context.Context, repo *gitext.Repo, mentions []crash.Mention) *version {
	for _, m := range slices.Backward(mentions) {
		if oid, ok := countedCommit(ctx, repo, m.Version); ok {
			return &version{said: m.Version, commit: oid}
		}
		id, said := describedID(m.Version), m.Version
		switch {
		case m.Name == crash.BuildLabel:
			id = m.Version
		case id == m.Version:
			continue // it counts as a version of the program that it names
		}
		oid, ok := buildCommit(ctx, repo, id)
		if !ok {
			continue
		}
		if id == m.Version {
			said = m.Name + " " + oid.Short()
		}
		return &version{said: said, commit: oid}
	}
	return nil
}

// describedID returns the id of a commit in a version: 1.39-120-g82418c30 of git describe,
// 1.0.0+34.ge96c725 of versioneer, 1.54.0-beta.4878.6c70c4257 of many builds, and the
// pseudo-versions of Go. It returns "" if there is none; a date has no letter.
func describedID(version string) string {
	for part := range strings.FieldsFuncSeq(version, func(r rune) bool { return strings.ContainsRune("-+.~", r) }) {
		id := strings.TrimPrefix(part, "g")
		if len(id) > 6 && digits().MatchString(id) && (id != part || strings.Trim(id, "0123456789") != "") {
			return id
		}
	}
	return ""
}

// countedForm matches a tag's version, the number of commits since, and the id of a commit, which may be short.
var countedForm = source.Lazy(`^v?(\d[\w.+~-]*)-(\d{1,6})-g?([0-9a-f]{6,64})$`)

// countedCommit returns the commit of a version as git describe prints it. An id that is short, or has no g before it, is one if
// as many commits are between it and the tag.
func countedCommit(ctx context.Context, repo *gitext.Repo, said string) (gitext.OID, bool) {
	m := countedForm().FindStringSubmatch(said)
	if m == nil {
		return "", false
	}
	oid, ok := buildCommit(ctx, repo, m[3])
	if !ok {
		return "", false
	}
	tags, err := repo.Tags(ctx)
	if err != nil {
		return "", false // the version is looked for without them
	}
	for _, t := range tags {
		if tagKey(t.Name) != versionKey(m[1]) {
			continue
		}
		if n, err := repo.CountCommits(ctx, oid, []gitext.OID{t.Commit}); err == nil && strconv.Itoa(n) == m[2] {
			return oid, true
		}
	}
	return "", false
}

// projectNames are the names of a repository's program.
type projectNames struct {
	plain     map[string]bool
	modules   bool     // its packages are called name-module, as jars are
	manifests [][]byte // the manifests at HEAD, which may state its version
}

// builtHere reports whether a mention is of a build from a work tree whose version a manifest at
// HEAD states.
func (n projectNames) builtHere(m crash.Mention) bool {
	return m.Built && slices.ContainsFunc(n.manifests, func(text []byte) bool { return states(text, m.Version) })
}

// states reports whether a text has a version as a word.
func states(text []byte, version string) bool {
	for rest := text; ; {
		i := bytes.Index(rest, []byte(version))
		if i < 0 {
			return false
		}
		end := i + len(version)
		if (i == 0 || !inVersion(rest[i-1])) && (end == len(rest) || !inVersion(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

// inVersion reports whether a character can be part of a version.
func inVersion(c byte) bool {
	return source.IsIdentByte(c) || source.IsDigit(c) || c == '.' || c == '-' || c == '+'
}

func (n projectNames) has(name string) bool {
	if p := plain(name); n.plain[p] || n.plain[strings.TrimRight(p, "0123456789")] {
		return true // caddy2 is caddy
	}
	first, _, found := strings.Cut(name, "-")
	return found && n.modules && n.plain[plain(first)]
}

// namesOf returns the plain names of the repository's program: of its directory, its remotes, and
// the packages in the manifests at HEAD.
func namesOf(ctx context.Context, repo *gitext.Repo) (projectNames, error) {
	names := projectNames{plain: map[string]bool{}}
	add := func(name string) {
		name = strings.TrimSuffix(strings.TrimRight(name, "/"), ".git")
		name = parentProject().ReplaceAllString(path.Base(filepath.ToSlash(name)), "")
		if name = plain(name); len(name) > 1 {
			names.plain[name] = true
		}
	}
	add(cmp.Or(repo.WorkTree(), strings.TrimSuffix(repo.CommonDir(), "/.git")))
	urls, err := repo.RemoteURLs(ctx)
	if err != nil {
		return names, err
	}
	for _, url := range urls {
		add(url[strings.LastIndexByte(url, ':')+1:])
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return names, err
	}
	files, err := belowTop(ctx, repo, head)
	if err != nil {
		return names, err
	}
	for file, form := range files {
		text, err := repo.BlobAt(ctx, head, file, maxManifest)
		if err != nil {
			continue // there is no such file, or it cannot be read: the other names remain
		}
		names.modules = names.modules || file == "pom.xml" || strings.HasPrefix(file, "build.gradle")
		names.manifests = append(names.manifests, text)
		if m := form().FindSubmatch(text); m != nil {
			name := string(m[1])
			if locate.IsMajor(path.Base(name)) {
				name = path.Dir(name)
			}
			add(name)
		}
	}
	return names, ctx.Err()
}

// maxBelow bounds the manifests of Python below the top that name the program, and maxDepth the folders
// in their paths. A repository with more holds many programs.
const (
	maxBelow = 2
	maxDepth = 2
)

// maxGems bounds the gems of one repository, such as activerecord and actionpack in that of Rails, which are
// released together.
const maxGems = 40

var gemName = source.Lazy(`\.name\s*=\s*['"]([\w.-]+)`)

// belowTop returns the paths of manifests with the form of the name in them: those at the top of a
// commit's tree, those of gems also in its folders, and if none of them is Python's, those of Python in folders below it.
func belowTop(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (map[string]source.Pattern, error) {
	tree, err := repo.Tree(ctx, commit)
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	found, below, atTop := maps.Clone(manifests), map[string]source.Pattern{}, false
	folders := map[string]bool{}
	for _, e := range tree {
		dir, base := path.Split(e.Path)
		if path.Ext(base) == ".gemspec" && strings.Count(dir, "/") <= 1 && len(found) < len(manifests)+maxGems {
			found[e.Path] = gemName
			continue
		}
		if base != "setup.py" && base != "setup.cfg" && base != "pyproject.toml" {
			continue
		}
		atTop = atTop || dir == ""
		if strings.Count(dir, "/") <= maxDepth && !source.IsTestPath(e.Path) && !source.IsVendored(e.Path) {
			below[e.Path], folders[dir] = manifests[base], true
		}
	}
	if !atTop && len(folders) <= maxBelow {
		maps.Copy(found, below)
	}
	return found, nil
}

// parentProject matches the end of the name of a project that only holds others, or of a repository that holds the sources.
var parentProject = source.Lazy(`-(?:parent|root|project|aggregator|all|src)$`)

const maxManifest = 1 << 20

// manifests maps files at the root of a repository to the form of the program's name in them.
var manifests = map[string]source.Pattern{
	"go.mod":            source.Lazy(`(?m)^module\s+"?([^\s"]+)`),
	"package.json":      source.Lazy(`"name"\s*:\s*"([^"]+)"`),
	"composer.json":     source.Lazy(`"name"\s*:\s*"([^"]+)"`),
	"Cargo.toml":        source.Lazy(`(?m)^name\s*=\s*"([^"]+)"`),
	"pyproject.toml":    source.Lazy(`(?m)^name\s*=\s*"([^"]+)"`),
	"setup.cfg":         source.Lazy(`(?m)^name\s*=\s*([\w.-]+)`),
	"setup.py":          source.Lazy(`\bname\s*=\s*['"]([\w.-]+)`),
	"build.gradle":      source.Lazy(`(?m)^\s*(?:rootProject\.name|archivesBaseName)\s*=\s*['"]([\w.-]+)`),
	"build.gradle.kts":  source.Lazy(`(?m)^\s*(?:rootProject\.name|archivesBaseName)\s*=\s*["]([\w.-]+)`),
	"gradle.properties": source.Lazy(`(?m)^\s*(?:archivesBaseName|POM_ARTIFACT_ID|mod_id)\s*=\s*([\w.-]+)`),
	"pom.xml":           source.Lazy(`(?s)\A(?:.*?</parent>)?.*?<artifactId>\s*([\w.-]+)`),
	"CMakeLists.txt":    source.Lazy(`(?im)^\s*project\s*\(\s*"?([\w.-]+)`),
	"meson.build":       source.Lazy(`project\(\s*'([^']+)'`),
	"configure.ac":      source.Lazy(`AC_INIT\(\s*\[?([\w.-]+)`),
}

// plain returns a name in lower case and without the marks in which the same name differs between
// a repository, its packages, and its messages.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// tagOf returns the tag of a version, or of the release that a distributor built again, nil if
// there is none.
func tagOf(tags []gitext.Tag, version string) *gitext.Tag {
	base, _, _ := strings.Cut(version, "+")
	base, _, _ = strings.Cut(base, "~")
	release, _, _ := strings.Cut(base, "-")
	for _, wanted := range []string{version, base, release, release + ".0", strings.TrimSuffix(release, ".0"), release + ".final", release + ".release", release + ".ga"} {
		wanted = versionKey(wanted)
		for i, t := range tags {
			if tagKey(t.Name) == wanted {
				return &tags[i]
			}
		}
	}
	return nil
}

// preview matches a version that is built before a release of its numbers.
var preview = source.Lazy(`(?i)^v?\d+(?:[._]\d+)*[-.~_+]?(?:dev|snapshot|pre|preview|nightly|alpha|beta|rc|cr|m|a|b)\.?\d*(?:[-.~+]|$)`)

// isBefore reports whether a version, of which tagOf found the tag, was built before that release.
func isBefore(said string, tag gitext.Tag) bool {
	return preview().MatchString(said) && !preview().MatchString(tagKey(tag.Name))
}

// tagKey returns the version in the name of a tag in the form of versionKey, "" if there is none:
// what follows the name of the program or a v, as in release-1.2.3, curl-7_61_0, and v1.2.3.
func tagKey(name string) string {
	key := versionKey(name)
	for i := range len(key) {
		if source.IsDigit(key[i]) && (i == 0 || key[i-1] == 'v' || key[i-1] == '.' && (i == 1 || !source.IsDigit(key[i-2]))) {
			return key[i:]
		}
	}
	return ""
}

// versionKey returns a version in lower case, with dots between all its parts.
func versionKey(version string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_/", r) {
			return '.'
		}
		return r
	}, strings.ToLower(version))
}

// nearest returns the tag with the highest version that is not above the given one and has its
// first number, nil if there is none. Numbers that are no version, such as an address, have none.
func nearest(tags []gitext.Tag, version string) *gitext.Tag {
	limit, best := numbersOf(versionKey(version)), []int(nil)
	var near *gitext.Tag
	for i, t := range tags {
		n := numbersOf(tagKey(t.Name))
		if len(n) > 1 && len(limit) > 0 && n[0] == limit[0] && slices.Compare(n, limit) <= 0 && slices.Compare(n, best) > 0 {
			near, best = &tags[i], n
		}
	}
	return near
}

// lettered matches the last number of a version with the letter of a release after it, as 3.3a of tmux and 1.0.2k of OpenSSL.
var lettered = source.Lazy(`^(\d{1,6})([a-z])$`)

// numbersOf returns the numbers at the beginning of a version. The letter of a later release counts as one.
func numbersOf(key string) []int {
	var numbers []int
	for part := range strings.SplitSeq(key, ".") {
		n, err := strconv.Atoi(part)
		if m := lettered().FindStringSubmatch(part); m != nil && len(numbers) > 0 {
			n, _ = strconv.Atoi(m[1])
			return append(numbers, n, int(m[2][0]-'a')+1)
		}
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// note says that the repository has no commit of the version.
func (v *version) note() string {
	if v.near == nil {
		return fmt.Sprintf("the report is of %.60s, which this repository does not have; give the commit that crashed with --at", v.said)
	}
	return fmt.Sprintf(
		"the report is of %.60s, for which this repository has no tag; the newest older one is %s: give the commit that crashed with --at",
		v.said,
		v.near.Name,
	)
}

package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"git-agent/gitext/commitmsg"
	"git-agent/gitext/gitcmd"
)

// Person is an author or a committer as in the commit object, without mailmap.
type Person struct {
	Name, Email string
	Time        time.Time // zero if the commit's date is invalid
}

// Commit is a commit's metadata.
type Commit struct {
	OID, Tree         OID
	Parents           []OID
	Author, Committer Person
	Message           string // converted to UTF-8 if the commit has an encoding header
}

// Subject is the message's first paragraph on one line, git's %s.
func (c Commit) Subject() string {
	subject, _ := commitmsg.Split(c.Message)
	return subject
}

// Body is the message after its first paragraph, git's %b.
func (c Commit) Body() string {
	_, body := commitmsg.Split(c.Message)
	return body
}

// Commit reads one commit.
func (r *Repo) Commit(ctx context.Context, oid OID) (Commit, error) {
	c, encoding, err := r.rawCommit(ctx, oid)
	if err != nil {
		return Commit{}, err
	}
	if err := r.reencode(ctx, &c, encoding); err != nil {
		return Commit{}, err
	}
	return c, nil
}

// These constants bound the kept part of a commit, which may have any length. The
// longest message in git.git has 30 KB.
const (
	maxCommit       = 16 << 20  // bytes read of a commit; a merge of 60,000 parents has 3 MB
	maxMessage      = 256 << 10 // of a message
	maxManyMessages = 64 << 20  // of all messages of one call of Commits; beyond it,
	maxLaterMessage = 4 << 10   // each further message is cut to this
	maxPerson       = 1 << 10   // of a name, and of an address
)

// Commits reads many commits, in the order given. It fails if any of them
// cannot be read.
func (r *Repo) Commits(ctx context.Context, oids []OID) ([]Commit, error) {
	commits, encodings := make([]Commit, len(oids)), make([]string, len(oids))
	var failed error
	room := maxManyMessages
	r.eachRawCommit(ctx, oids, func(i int, c Commit, encoding string, err error) {
		if room -= len(c.Message); room < 0 {
			c.Message = atMost(c.Message, maxLaterMessage)
		}
		if commits[i], encodings[i] = c, encoding; err != nil && failed == nil {
			failed = err
		}
	})
	if failed != nil {
		return nil, failed
	}
	for i := range commits {
		if err := r.reencode(ctx, &commits[i], encodings[i]); err != nil {
			return nil, err
		}
	}
	return commits, nil
}

func (r *Repo) rawCommit(ctx context.Context, oid OID) (c Commit, encoding string, err error) {
	r.eachRawCommit(ctx, []OID{oid}, func(_ int, got Commit, enc string, gotErr error) {
		c, encoding, err = got, enc, gotErr
	})
	return c, encoding, err
}

// eachRawCommit reads commits without conversion and passes each to take, with
// its encoding header.
func (r *Repo) eachRawCommit(ctx context.Context, oids []OID, take func(i int, c Commit, encoding string, err error)) {
	names := make([]string, len(oids))
	for i, oid := range oids {
		names[i] = string(oid)
		if oid.valid() != nil {
			names[i] = string(r.emptyTree()) // keeps the answers in step; readCommit reports the invalid id
		}
	}
	r.objs.Each(ctx, "contents", names, func(i int, head gitcmd.ObjectHead, content io.Reader, err error) {
		c, encoding, err := r.readCommit(ctx, oids[i], head, content, err)
		take(i, c, encoding, err)
	})
}

// readCommit parses one answer of cat-file.
func (r *Repo) readCommit(ctx context.Context, oid OID, head gitcmd.ObjectHead, content io.Reader, err error) (Commit, string, error) {
	switch {
	case oid.valid() != nil:
		return Commit{}, "", oid.valid()
	case errors.Is(err, gitcmd.ErrMissing):
		return Commit{}, "", r.missing(ctx, oid)
	case err != nil:
		return Commit{}, "", fmt.Errorf("read commit %s: %w", oid.Short(), err)
	case head.Kind != "commit":
		return Commit{}, "", fmt.Errorf("%s is a %s, not a commit", oid.Short(), head.Kind)
	}
	text, err := io.ReadAll(io.LimitReader(content, maxCommit)) // the size in the header may be wrong
	if err == nil && int64(len(text)) < min(head.Size, maxCommit) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Commit{}, "", fmt.Errorf("read commit %s: %w", oid.Short(), err)
	}
	c, encoding, err := parseCommit(text)
	if err != nil {
		return Commit{}, "", fmt.Errorf("read commit %s: %w", oid.Short(), err)
	}
	c.OID = oid
	return c, encoding, nil
}

// parseCommit parses a commit object. Unknown headers, and the indented lines
// that continue them, are skipped.
func parseCommit(text []byte) (c Commit, encoding string, err error) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(line) == 0 {
			break
		}
		key, value, _ := strings.Cut(string(line), " ")
		switch key {
		case "tree":
			c.Tree, err = ParseOID(value)
		case "parent":
			var parent OID
			parent, err = ParseOID(value)
			c.Parents = append(c.Parents, parent)
		case "author":
			c.Author = parsePerson(value)
		case "committer":
			c.Committer = parsePerson(value)
		case "encoding":
			encoding = value
		}
		if err != nil {
			return Commit{}, "", err
		}
	}
	if c.Tree == "" {
		return Commit{}, "", errors.New("no tree in the commit")
	}
	c.Message = string(text[:min(len(text), maxMessage)])
	return c, encoding, nil
}

// parsePerson parses "Name <email> seconds zone". Old importers wrote malformed
// lines; unreadable parts stay empty.
func parsePerson(s string) Person {
	var p Person
	open := strings.IndexByte(s, '<')
	end := strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		p.Name = atMost(strings.TrimSpace(s), maxPerson)
		return p
	}
	p.Name, p.Email = atMost(strings.TrimSpace(s[:open]), maxPerson), atMost(s[open+1:end], maxPerson)
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return p
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || seconds < 0 || seconds > maxSeconds {
		return p
	}
	zone := time.UTC
	if len(f) > 1 {
		zone = parseZone(f[1])
	}
	p.Time = time.Unix(seconds, 0).In(zone)
	return p
}

// atMost returns a copy of the first bytes of s, so that the rest of s can be
// freed.
func atMost(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.Clone(s[:bytes])
}

// maxSeconds is the end of the year 9999: later dates cannot be printed.
const maxSeconds = 253402300799

func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || n == 0 || n < -2359 || n > 2359 {
		return time.UTC
	}
	return time.FixedZone("", (n/100*60+n%100)*60)
}

// reencode converts the texts of a commit to UTF-8. Latin 1 is converted here.
// For other encodings, which are rare (Shift-JIS, KOI8-R, windows-125x), it
// starts a git process for each such commit.
func (r *Repo) reencode(ctx context.Context, c *Commit, encoding string) error {
	texts := []*string{&c.Author.Name, &c.Author.Email, &c.Committer.Name, &c.Committer.Email, &c.Message}
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8":
		return nil
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		for _, t := range texts {
			*t = fromLatin1(*t)
		}
		return nil
	}
	out, err := r.shadow.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{
		"log", "-1", "--no-walk", "--encoding=UTF-8", "--format=format:%an%x00%ae%x00%cn%x00%ce%x00%B", "--end-of-options", string(c.OID), "--"}})
	if err != nil {
		return r.explain(ctx, err)
	}
	if f := bytes.SplitN(out, []byte{0}, len(texts)); len(f) == len(texts) && utf8.Valid(out) {
		for i, t := range texts {
			*t = string(f[i])
		}
	}
	return nil
}

func fromLatin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

package investigate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/agent/model"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A scriptedModel answers from a list and records the requests.
type scriptedModel struct {
	t       testing.TB
	mu      sync.Mutex
	replies []model.Message
	asked   []model.Request
}

func (s *scriptedModel) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	req.Messages = slices.Clone(req.Messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if len(s.replies) == 0 {
		return nil, &model.Error{Class: model.ClassServer, Message: "the script is over"}
	}
	m := s.replies[0]
	s.replies = s.replies[1:]
	m.Role, m.Calls = model.Assistant, slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].ID = fmt.Sprintf("call-%d-%d", len(s.asked), i)
	}
	return &model.Reply{Message: m, Finish: model.FinishStop, Usage: model.Usage{Uncached: 100, Output: 10}, Attempts: 1}, nil
}

// last returns the text of the last message of the n-th request, from 1.
func (s *scriptedModel) last(n int) string {
	s.t.Helper()
	if n > len(s.asked) {
		s.t.Fatalf("asked %d times, not %d", len(s.asked), n)
	}
	m := s.asked[n-1].Messages
	return m[len(m)-1].Text
}

func said(text string) model.Message { return model.Message{Text: text} }

func called(name string, args any) model.Message {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return model.Message{Calls: []model.Call{{Name: name, Args: string(data)}}}
}

// accuse returns a report that names files.
func accuse(paths ...string) model.Message {
	files := []map[string]any{}
	for _, p := range paths {
		files = append(files, map[string]any{"path": p, "reason": "it\x1b[31m lacks\n the check"})
	}
	return called("report", map[string]any{"explanation": "The length\n runs away.", "files": files, "commits": []any{}})
}

var look = called("get_nearby_code", map[string]any{"path": "lib/reader.c", "line": 5})

const reader = `#include "reader.h"

int read_length(const char *in)
{
	return in[0];
}

int read_packet(const char *in, char *out)
{
	int n = read_length(in);
	for (int i = 0; i < n; i++)
		out[i] = in[i];
	return n;
}
`

const program = `#include "lib/reader.h"

int main(void)
{
	char out[4];
	return read_packet("input", out);
}
`

// asan is a report of the program.
const asan = `==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
WRITE of size 1 at 0x602000000010 thread T0
    #0 0x1 in read_packet /build/p/lib/reader.c:12:10
    #1 0x2 in main /build/p/main.c:6:9
    #2 0x3 in __libc_start_main (/lib/libc.so.6+0x1)
`

// A bench is a repository, a commit that crashed, and the offline engine's answer about it.
type bench struct {
	*gittest.History
	repo     *gitext.Repo
	crashed  gitext.OID
	question crash.Question
	offline  *crash.Answer
}

// newBench makes the repository of the program, with the repair after the commit that crashed,
// and lets parts of the offline engine rank the files of the report.
func newBench(t testing.TB) *bench {
	h := gittest.New(t)
	checked := strings.Replace(reader, "\treturn in[0];", "\treturn in[0] & 3;", 1)
	h.Commit("start the program", gittest.Files{"lib/reader.c": checked, "lib/reader.h": "int read_packet(const char *in, char *out);\n", "main.c": program, "README": "x\n"})
	h.Commit("reader: take any length", gittest.Files{"lib/reader.c": reader})
	crashed := h.Commit("unrelated", gittest.Files{"README": "x y\n"})
	h.Commit("reader: check the length again", gittest.Files{"lib/reader.c": checked, "later.c": "int later;\n"})
	return askedAt(h, crashed, asan)
}

// askedAt returns a bench with a report of a commit.
func askedAt(h *gittest.History, crashed gitext.OID, text string) *bench {
	h.T.Helper()
	report, err := format.Read(strings.NewReader(text))
	if err != nil {
		h.T.Fatal(err)
	}
	b := &bench{History: h, repo: h.Open(), crashed: crashed, question: crash.Question{Report: report, Commit: crashed, Suspects: 3}}
	b.rank()
	return b
}

// rank does the work of the offline engine.
func (b *bench) rank() {
	b.T.Helper()
	ctx := context.Background()
	if _, err := locate.Locate(ctx, b.repo, b.crashed, b.question.Report); err != nil {
		b.T.Fatal(err)
	}
	var err error
	if b.offline, err = rank.Rank(ctx, b.repo, b.crashed, b.question.Report, rank.Ours); err != nil {
		b.T.Fatal(err)
	}
	found, err := culprit.Find(ctx, b.repo, b.crashed, b.question.Report, b.offline.Files, culprit.Options{Max: Suspects})
	if err != nil {
		b.T.Fatal(err)
	}
	b.offline.Suspects = found.Suspects
}

// oid returns the commit with this subject.
func (b *bench) oid(subject string) gitext.OID {
	b.T.Helper()
	return gitext.OID(b.Git("log", "-1", "--format=%H", "--grep="+subject))
}

// trace lets a scripted model investigate.
func (b *bench) trace(opt Options, replies ...model.Message) (*crash.Answer, *scriptedModel) {
	b.T.Helper()
	s := &scriptedModel{t: b.T, replies: replies}
	opt.Model, opt.ModelName = s, "scripted"
	if opt.Runs == 0 {
		opt.Runs = 1
	}
	r, err := Trace(context.Background(), b.repo, b.question, b.offline, opt)
	if err != nil {
		b.T.Fatal(err)
	}
	return r, s
}

// first returns the first request about the question.
func (b *bench) first(opt Options) model.Request {
	b.T.Helper()
	_, s := b.trace(opt, accuse("lib/reader.c"))
	return s.asked[0]
}

// investigation prepares an investigation.
func (b *bench) investigation() *investigation {
	b.T.Helper()
	d, err := newInvestigation(context.Background(), b.repo, b.question, b.offline, Options{}.WithDefaults())
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(func() { d.tools.Finder.Close() })
	return d
}

// A memoryJournal is a Journal in memory.
type memoryJournal map[string][]byte

func (j memoryJournal) Recall(_ context.Context, key string) ([]byte, bool, error) {
	data, ok := j[key]
	return data, ok, nil
}
func (j memoryJournal) Intend(context.Context, string, []byte) error { return nil }
func (j memoryJournal) Note(context.Context, string, []byte) error   { return nil }
func (j memoryJournal) Record(_ context.Context, key string, data []byte) error {
	j[key] = data
	return nil
}

// A cancellingModel cancels the caller's context when it has no answer.
type cancellingModel struct {
	*scriptedModel
	quit context.CancelFunc
}

func (m cancellingModel) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	if len(m.replies) == 0 {
		m.quit()
		return nil, context.Canceled
	}
	return m.scriptedModel.Ask(ctx, req)
}

var _ agent.Journal = memoryJournal{}

func pathsOf(files []crash.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return strings.Join(list, " ")
}

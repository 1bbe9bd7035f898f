package szzcmd

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git-agent/agent/shard"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// JournalKind is the kind of the journals of szz.
const JournalKind = "szz"

// answerJournal stores answers in the journal of a shard, instead of printing them.
type answerJournal struct {
	file *shard.Journal

	mu    sync.Mutex
	asked []dealtFix // fixes in the engine's work, in the order of its answers
}

// dealtFix is a fix and its places in the input, counted from 0.
type dealtFix struct {
	name string
	at   []int
}

// keptAnswer is an entry of the journal.
type keptAnswer struct {
	At     []int           `json:"at"`     // places in the input
	Retry  bool            `json:"retry"`  // the answer is not final and will be computed again
	Answer json.RawMessage `json:"answer"` // in the form of --json
}

// ask notes that the engine has begun a fix.
func (k *answerJournal) ask(fix dealtFix) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, fix)
}

// Answer stores the answer to the first fix in asked.
func (k *answerJournal) Answer(ans render.Answer) error {
	k.mu.Lock()
	fix := k.asked[0]
	k.asked = k.asked[1:]
	k.mu.Unlock()
	answer, err := quote.Marshal(render.AnswerJSONOf(ans))
	if err != nil {
		return err
	}
	at, err := json.Marshal(fix.at)
	if err != nil {
		return err
	}
	// The JSON is built by hand, because the answer must stay unchanged, byte for byte.
	body := fmt.Appendf(nil, `{"at":%s,"retry":%t,"answer":%s}`, at, ans.Failed() != nil || !ans.Complete(), answer)
	return k.file.Append(fix.name, body)
}

// done returns the fixes that have a final answer.
func (k *answerJournal) done() (map[string]bool, error) {
	done := map[string]bool{}
	for e, err := range k.file.Entries() {
		if err != nil {
			return nil, err
		}
		var kept keptAnswer
		done[e.ID] = json.Unmarshal(e.Body, &kept) == nil && !kept.Retry
	}
	return done, nil
}

// close closes the journal, if there is one.
func (k *answerJournal) close() error {
	if k == nil {
		return nil
	}
	return k.file.Close()
}

// dealt opens the journal and returns the questions of the shard without a final answer there,
// and their number.
func (c *Szz) dealt(ctx context.Context, a *app.App, repo *gitext.Repo, agent *engine.Agent) (iter.Seq2[szz.Question, error], int, error) {
	names, err := c.names(ctx, a, repo)
	if err != nil {
		return nil, 0, err
	}
	complete, err := c.completed(ctx, a, repo, len(names) == 1 && !c.Stdin)
	if err != nil {
		return nil, 0, err
	}
	fixes, header := c.deal(names)
	if err := c.openJournal(ctx, header, agent, repo.HasIndex(ctx)); err != nil {
		return nil, 0, err
	}
	done, err := c.kept.done()
	if err != nil {
		return nil, 0, err
	}
	var todo []dealtFix
	for _, fix := range fixes {
		if !done[fix.name] {
			todo = append(todo, fix)
		}
	}
	return func(yield func(szz.Question, error) bool) {
		for _, fix := range todo {
			oid, err := repo.Resolve(ctx, fix.name)
			c.kept.ask(fix)
			q := complete(szz.Question{Fix: oid})
			q.Hint = szz.Hint{}.And(szz.Hint{Text: c.Hint})
			if !yield(q, err) || err != nil {
				return
			}
		}
	}, len(todo), nil
}

// names returns the names of all fixes in the order of the input. Each is the full hash of a
// commit, or of a tag. A full hash is not looked up, because every shard reads all fixes but
// answers only a few.
func (c *Szz) names(ctx context.Context, a *app.App, repo *gitext.Repo) ([]string, error) {
	typed, err := c.typedFixes(ctx, repo)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, oid := range typed {
		names = append(names, string(oid))
	}
	if c.Stdin {
		for next := readLines(ctx, a.Stdin, c.Null); ; {
			rev, err := next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			if _, err := gitext.ParseOID(rev); err == nil {
				names = append(names, rev)
				continue
			}
			oids, err := repo.ResolveRevisions(ctx, []string{rev})
			if err != nil {
				return nil, err
			}
			for _, oid := range oids {
				names = append(names, string(oid))
			}
		}
	}
	return names[min(c.Skip, len(names)):], nil
}

// deal returns the fixes of the shard in the order of the input, each once, and the header of its
// journal, which openJournal completes.
func (c *Szz) deal(names []string) ([]dealtFix, shard.Header) {
	var all shard.Digest
	var fixes []dealtFix
	var items []shard.Item
	index := map[string]int{}
	for at, name := range names {
		all.Add([]byte(name))
		i, again := index[name]
		if !again {
			i = len(fixes)
			index[name] = i
			fixes, items = append(fixes, dealtFix{name: name}), append(items, shard.Item{ID: name})
		}
		fixes[i].at = append(fixes[i].at, at)
	}
	var own []dealtFix
	for _, i := range c.Part.Deal(items) {
		own = append(own, fixes[i])
	}
	return own, shard.Header{
		Kind: JournalKind, Cases: len(names), Digest: all.String(), Shard: c.Part.String(), Entries: len(own),
	}
}

// contentOf returns the names of files, each with a hash of its content, so that a changed file makes another run.
func contentOf(names []string) (string, error) {
	var list []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read the file of --with: %w", err)
		}
		list = append(list, fmt.Sprintf("%s %x", name, sha256.Sum256(text)))
	}
	return strings.Join(list, "\x00"), nil
}

// openJournal opens the journal. indexed means that the ranking asks an index of changed lines; a
// journal begun without an index is not continued with one.
func (c *Szz) openJournal(ctx context.Context, h shard.Header, agent *engine.Agent, indexed bool) (err error) {
	if h.Build, err = app.EngineVersion(); err != nil {
		return err
	}
	if h.Git, err = gitcmd.UserVersion(ctx); err != nil {
		return err
	}
	h.Options = map[string]string{
		"algorithm": c.Algorithm, "annotations": strconv.FormatBool(c.Annotations), "max-count": "all",
		"paths": strings.Join(c.paths, "\x00"), "verify": strconv.FormatBool(c.Verify), "verify-cmd": c.VerifyCmd, "bisect": strconv.FormatBool(c.Bisect),
		"network": strconv.FormatBool(c.Network), "engine": "offline",
	}
	if c.Hint != "" {
		h.Options["hint"] = c.Hint
	}
	if len(c.With) > 0 {
		if h.Options["with"], err = contentOf(c.With); err != nil {
			return err
		}
	}
	if indexed {
		h.Options["index"] = "true"
	}
	if c.MaxCount != nil {
		h.Options["max-count"] = strconv.Itoa(*c.MaxCount)
	}
	if agent != nil {
		h.Options["engine"] = "agent " + agent.Setting(c.Switches())
	}
	file, err := shard.Open(c.Journal, h)
	if err == nil {
		c.kept = &answerJournal{file: file}
	}
	return err
}

// MergeAnswers prints the answers of all shards in the order of the input, in the form of --json.
func MergeAnswers(ctx context.Context, a *app.App, set *shard.Set, partial bool) error {
	places := map[int]shard.Ref{} // not sized by the header, which is untrusted
	for e, err := range set.Entries() {
		if err != nil {
			return err
		}
		var kept keptAnswer
		if err := json.Unmarshal(e.Body, &kept); err != nil {
			return fmt.Errorf("the answer to %s: %w", e.ID, err)
		}
		for _, at := range kept.At {
			if at < 0 || at >= set.Header.Cases {
				return fmt.Errorf("the answer to %s has a place outside of the input", e.ID)
			}
			places[at] = e.Ref()
		}
	}
	order := slices.Sorted(maps.Keys(places))
	for i := 0; !partial && i < set.Header.Cases; i++ {
		if i == len(order) || order[i] != i {
			return fmt.Errorf("no journal has the answer to fix %d of the input", i+1)
		}
	}
	for _, at := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		body, err := set.Body(places[at])
		if err != nil {
			return err
		}
		var kept keptAnswer
		if err := json.Unmarshal(body, &kept); err != nil {
			return err
		}
		if _, err := a.Raw.Write(append(quote.JSON(kept.Answer), '\n')); err != nil {
			return err
		}
	}
	return nil
}

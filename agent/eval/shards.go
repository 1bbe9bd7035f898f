package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"git-agent/agent/shard"
)

// Deal returns the cases of a shard, in their original order, and a digest of all cases. The
// cases of one repository are kept together.
func Deal(of shard.Shard, cases []Case) (own []Case, digest string, err error) {
	items := make([]shard.Item, len(cases))
	for i, c := range cases {
		h := c.Head()
		items[i] = shard.Item{Group: cmp.Or(h.Mirror, h.Repo), ID: h.ID}
	}
	var sum shard.Digest
	for _, i := range shard.Order(items) {
		text, err := json.Marshal(cases[i])
		if err != nil {
			return nil, "", err
		}
		sum.Add(text)
	}
	for _, i := range of.Deal(items) {
		own = append(own, cases[i])
	}
	return own, sum.String(), nil
}

// FileJournal is the Journal of one shard in a plain file.
type FileJournal struct {
	task Task
	file *shard.Journal
}

// journalAbout is the description of a run in the header of a journal, for the report of all
// shards.
type journalAbout struct {
	About
	Algorithms []string
}

// OpenFileJournal continues the journal in a file, or creates it. The plan has the cases of the
// shard; all is the number of cases of all shards, and digest their digest. options are the other
// settings that determine the predictions.
func OpenFileJournal(path string, of shard.Shard, p Plan, about About, all int, digest, git string, options map[string]string) (*FileJournal, error) {
	about.Shard, about.Fallback = "", false // predictions do not depend on these
	text, err := json.Marshal(journalAbout{about, p.Algorithms})
	if err != nil {
		return nil, err
	}
	options = maps.Clone(options)
	options["algorithm"] = strings.Join(p.Algorithms, ",")
	options["setting"] = p.Setting
	for name, setting := range p.Settings {
		options["setting of "+name] = setting
	}
	file, err := shard.Open(path, shard.Header{
		Kind: runKind(p.Task), Build: p.Version, Git: git, Options: options, Cases: all, Digest: digest,
		Shard: of.String(), Entries: len(p.Cases) * len(p.Algorithms), About: text,
	})
	return &FileJournal{p.Task, file}, err
}

// Kept yields the predictions in the order of storing.
func (j *FileJournal) Kept(context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for e, err := range j.file.Entries() {
			if !yieldRecord(j.task, e.Body, err, yield) {
				return
			}
		}
	}
}

// yieldRecord decodes and yields one entry. It leaves out an entry that the task cannot read. It
// returns false at the end.
func yieldRecord(t Task, body []byte, err error, yield func(Record, error) bool) bool {
	if err != nil {
		yield(Record{}, err)
		return false
	}
	r, err := readRecord(t, body)
	return err != nil || yield(r, nil)
}

// Keep appends one prediction.
func (j *FileJournal) Keep(_ context.Context, r Record) error {
	payload, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return j.file.Append(r.Key, payload)
}

// Finish does nothing: the journal itself shows the missing entries.
func (j *FileJournal) Finish(context.Context, error) error { return nil }

// Close closes the file.
func (j *FileJournal) Close() error { return j.file.Close() }

// TaskOfKind returns the name of the task for a journal's kind.
func TaskOfKind(kind string) (name string, ok bool) { return strings.CutPrefix(kind, "eval/") }

// ShardsJournal is a Journal of the predictions of several shards, for reading.
type ShardsJournal struct {
	Task Task
	Set  *shard.Set
}

// Kept yields the predictions shard by shard.
func (j ShardsJournal) Kept(context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for e, err := range j.Set.Entries() {
			if !yieldRecord(j.Task, e.Body, err, yield) {
				return
			}
		}
	}
}

// Keep always fails.
func (ShardsJournal) Keep(context.Context, Record) error {
	return errors.New("the journals of shards are only read")
}

// AboutShards reads the description for the report of all shards, and the algorithms, from the
// header of journals.
func AboutShards(h shard.Header) (About, []string, error) {
	var about journalAbout
	if err := json.Unmarshal(h.About, &about); err != nil {
		return About{}, nil, fmt.Errorf("the header of the journals is damaged: %w", err)
	}
	return about.About, about.Algorithms, nil
}

// RecallShards rebuilds the results of a run from the journals of its shards. They equal the
// results of Run for all cases at once. With partial, cases may be missing.
func RecallShards(ctx context.Context, j ShardsJournal, algorithms []string, partial bool) (*Results, error) {
	res, err := Recall(ctx, j.Task, j)
	if err != nil {
		return nil, err
	}
	for _, a := range res.Algorithms {
		if !slices.Contains(algorithms, a) {
			return nil, fmt.Errorf("the journals have answers of %q, which their headers do not name", a)
		}
	}
	res.Algorithms = algorithms
	for _, a := range algorithms {
		if res.Outcomes[a] == nil {
			for i := range res.Cases {
				res.Outcomes[a] = append(res.Outcomes[a], Outcome{Case: i})
			}
		}
	}
	res.Unfinished = max(0, j.Set.Header.Cases-len(res.Cases))
	if partial {
		return res, nil
	}
	_, digest, err := Deal(shard.Whole, res.Cases)
	if err == nil && digest != j.Set.Header.Digest {
		err = errors.New("the journals have answers to other cases than their headers say")
	}
	return res, err
}

// Copy adds to a journal the missing predictions from another journal.
func Copy(ctx context.Context, to, from Journal) error {
	has := map[string]bool{}
	for rec, err := range to.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		has[rec.Key] = rec.Answer != nil
	}
	for rec, err := range from.Kept(ctx) {
		if err == nil && !has[rec.Key] {
			err = to.Keep(ctx, rec)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

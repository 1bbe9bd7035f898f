package lineindex

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"time"

	"git-agent/cache"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// Progress reports the progress of a build.
type Progress struct {
	Done, Total int   // commits
	Text        int64 // bytes of changed lines in the index
}

// BuildOptions say how to build.
type BuildOptions struct {
	Workers  int            // processes of git at the same time; 0 is one for each processor, at most maxWorkers
	Progress func(Progress) // called after each batch; may be nil

	stop       func(Progress) bool // for tests: ends the build like a kill
	everyBatch bool                // for tests: stores after each batch
}

const (
	maxWorkers = 8
	batchSize  = 128             // commits of one git process
	saveAfter  = 3 * time.Second // the time after which the read commits are stored
	saveParts  = 64              // the number of closed parts, two of each block, after which they are stored
	inFlight   = 8 << 20         // bytes of lines that one worker may read ahead
)

// Built is the result of a build.
type Built struct {
	Header  Header
	Added   int    // commits
	Replace string // the reason for building the index anew; "" if it was not
}

// Build adds the commits of all refs to the index in dir, and makes the index if there is
// none. It stores the read commits every few seconds, and a later call continues from
// there even after a crash. While another process builds, the error is cache.ErrHeld.
func Build(ctx context.Context, dir string, repo *gitext.Repo, opt BuildOptions) (built Built, err error) {
	now, err := headerOf(ctx, repo)
	if err != nil {
		return built, err
	}
	store, err := cache.WriteIndex(ctx, dir)
	if err != nil {
		return built, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	b := &builder{store: store, opt: opt, saved: time.Now()}
	if built.Replace, err = b.resume(ctx, now); err != nil {
		return built, err
	}
	before := b.done
	if err = b.list(ctx, repo); err == nil {
		err = b.addAll(ctx, repo)
	}
	if err == nil {
		b.header.Complete = true
		err = b.save(ctx)
	}
	built.Header, built.Added = b.header, b.done-before
	return built, err
}

// A builder appends commits to an index.
type builder struct {
	store  *cache.IndexWriter
	opt    BuildOptions
	header Header
	graph  *graph // including the unread commits
	done   int    // the commits before this number are in the index

	open   *block       // the last block
	starts []uint32     // of the closed blocks
	closed []cache.Part // unstored parts
	sigs   [][]byte     // signatures of the closed blocks outside all segments
	copies [][]recordID // of the same blocks, the originals of their copies
	known  originals
	remove []cache.PartKey
	first  int // the commits before this number are stored permanently
	saved  time.Time
	flags  byte // of the current commit
}

// resume reads the end of the stored index. It empties an index that does not fit, and
// returns the reason.
func (b *builder) resume(ctx context.Context, now Header) (why string, err error) {
	old, err := readHeader(ctx, b.store)
	var stale *staleError
	if err == nil {
		err = old.fits(now)
	}
	if err == nil {
		b.header, b.done = old, old.Commits
		if b.graph, err = readGraph(ctx, b.store, old); err == nil {
			err = b.readTail(ctx)
		}
	}
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", err
	case errors.As(err, &stale):
		why = stale.Why
	case !errors.Is(err, cache.ErrNoIndex):
		why = err.Error()
	}
	b.header, b.graph, b.done, b.open, b.sigs, b.starts = now, newGraph(now.oidSize()), 0, &block{}, nil, nil
	b.copies, b.known = nil, originals{}
	return why, b.store.Clear(ctx)
}

// readTail reads the signatures of the last blocks, and the last block if it is not full.
func (b *builder) readTail(ctx context.Context) error {
	b.open = &block{}
	var err error
	if b.starts, err = readStarts(ctx, b.store, b.header); err != nil {
		return err
	}
	if b.known, err = readOriginals(ctx, b.store, b.header.Originals); err != nil {
		return err
	}
	if b.copies, err = readCopies(ctx, b.store, b.header, b.header.Segments); err != nil {
		return err
	}
	for n := b.header.Segments * segmentBlocks; n < b.header.Blocks; n++ {
		sig, err := b.store.Get(ctx, cache.PartKey{Kind: kindSignature, Num: uint32(n)})
		if err != nil {
			return err
		}
		b.sigs = append(b.sigs, sig)
	}
	b.first = b.done / chapter * chapter
	if b.header.Blocks == 0 {
		return nil
	}
	data, err := b.store.Get(ctx, cache.PartKey{Kind: kindBlock, Num: uint32(b.header.Blocks - 1)})
	if err != nil {
		return err
	}
	last, err := decodeBlock(data)
	if err == nil && last.size() < blockSize {
		b.open = last
		b.header.Blocks--
		b.starts = b.starts[:b.header.Blocks]
		b.sigs, b.copies = b.sigs[:max(len(b.sigs)-1, 0)], b.copies[:max(len(b.copies)-1, 0)]
	}
	return err
}

// list adds the commits of the refs that the index lacks to the graph, parents first.
func (b *builder) list(ctx context.Context, repo *gitext.Repo) error {
	tips, err := repo.Tips(ctx)
	if err != nil || len(tips) == 0 {
		return err
	}
	return b.graph.extend(ctx, repo, tips)
}

// addAll reads the changed lines of the commits with several processes of git, and adds
// them in order.
func (b *builder) addAll(ctx context.Context, repo *gitext.Repo) error {
	from := b.done
	if from == b.graph.len() {
		return nil
	}
	b.header.Complete = false
	workers := b.opt.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan *batch, workers) // in the order of the commits
	group.Go(func() error {
		defer close(queue)
		return b.feed(ctx, repo, group, from, workers, queue)
	})
	group.Go(func() error {
		for one := range queue {
			if err := b.collect(ctx, one, from); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// feed reads batches of commits, one for each worker at the same time, and queues them.
// It does not read b.done, which changes meanwhile.
func (b *builder) feed(ctx context.Context, repo *gitext.Repo, group *errgroup.Group, from, workers int, queue chan<- *batch) error {
	slots := make(chan struct{}, workers)
	total := b.graph.len()
	for first := from; first < total; first += batchSize {
		one := newBatch(b.graph.commits(first, min(first+batchSize, total)))
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		group.Go(func() error {
			defer func() { <-slots }()
			return one.read(ctx, repo)
		})
		select {
		case queue <- one:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// collect adds the items of a batch, and stores the added commits if it is time. from is
// the first commit of the build.
func (b *builder) collect(ctx context.Context, one *batch, from int) error {
	for items := range one.items {
		b.take(items)
	}
	if one.err != nil {
		return one.err
	}
	if b.opt.everyBatch || len(b.closed) >= saveParts || time.Since(b.saved) > saveAfter {
		if err := b.save(ctx); err != nil {
			return err
		}
	}
	p := Progress{Done: b.done - from, Total: b.graph.len() - from, Text: b.header.Text}
	if b.opt.stop != nil && b.opt.stop(p) {
		return errStopped
	}
	if b.opt.Progress != nil {
		b.opt.Progress(p)
	}
	return nil
}

var errStopped = errors.New("stopped by a test")

// A batch is the reading of one git process. It implements gitext.LinesTaker: it sends
// items while it reads, and waits when it is far ahead.
type batch struct {
	commits []gitext.Ancestor
	items   chan []item
	waiting []item
	bytes   int // of the waiting lines
	ctx     context.Context
	err     error // set before items is closed
}

// An item is a changed file or, without one, the end of a commit.
type item struct {
	file   *gitext.FileLines
	unread bool // not all files of the commit could be read
}

func newBatch(commits []gitext.Ancestor) *batch {
	return &batch{commits: commits, items: make(chan []item, 1)}
}

func (o *batch) read(ctx context.Context, repo *gitext.Repo) error {
	defer close(o.items)
	o.ctx = ctx
	if o.err = repo.ChangedLines(ctx, o.commits, o); o.err == nil {
		o.send()
		o.err = context.Cause(ctx)
	}
	return o.err
}

func (o *batch) send() {
	select {
	case o.items <- o.waiting:
	case <-o.ctx.Done():
	}
	o.waiting, o.bytes = nil, 0
}

// File keeps a copy of the changes of a file.
func (o *batch) File(f *gitext.FileLines) {
	kept := *f
	kept.Removed, kept.Added = append([]byte(nil), f.Removed...), append([]byte(nil), f.Added...)
	o.waiting = append(o.waiting, item{file: &kept})
	if o.bytes += len(f.Removed) + len(f.Added); o.bytes > inFlight {
		o.send()
	}
}

// Commit notes that all files of a commit were read.
func (o *batch) Commit(_ gitext.Ancestor, err error) bool {
	o.waiting = append(o.waiting, item{unread: err != nil})
	return o.ctx.Err() == nil
}

// take adds the items to the index.
func (b *builder) take(items []item) {
	for _, it := range items {
		if it.file != nil {
			b.addFile(it.file)
			continue
		}
		if it.unread {
			b.flags |= isUncertain
		}
		b.graph.flags[b.done] = b.flags
		b.flags = 0
		b.done++
	}
}

// addFile adds a record for the next commit.
func (b *builder) addFile(f *gitext.FileLines) {
	r := recordOf(uint32(b.done), f)
	if r.flags&isPartial != 0 {
		b.flags |= isUncertain
	}
	if r.flags&isBinary != 0 {
		b.flags |= hasBinary
	}
	if r.size() >= minCopied {
		b.copy(&r)
	}
	b.open.add(&r)
	b.header.Text += int64(len(f.Removed) + len(f.Added))
	if b.open.size() >= blockSize {
		b.closeBlock()
	}
}

// copy makes a record a copy if its lines are known, and else an original.
func (b *builder) copy(r *record) {
	sum, reversed := sumOf(r.flags, r.removed, r.added)
	known := b.known.find(sum)
	if known == nil {
		b.known.add(original{sum, recordID{uint32(b.header.Blocks), uint32(b.open.records)}, reversed})
		return
	}
	r.from, r.flags = known.at, r.flags|isCopy
	if reversed != known.reversed {
		r.flags |= isReversed
	}
}

// closeBlock packs the open block and begins another one.
func (b *builder) closeBlock() {
	sig := b.packOpen()
	b.sigs, b.starts, b.copies = append(b.sigs, sig), append(b.starts, b.open.first), append(b.copies, b.open.copies)
	b.header.Blocks++
	b.open = &block{}
	if len(b.sigs) == segmentBlocks {
		for n, piece := range transpose(b.sigs) {
			b.closed = append(b.closed, b.store.NewPart(cache.PartKey{Kind: kindSegment, Num: uint32(b.header.Segments*segmentPieces + n)}, piece))
		}
		for n := range segmentBlocks {
			b.remove = append(b.remove, cache.PartKey{Kind: kindSignature, Num: uint32(b.header.Segments*segmentBlocks + n)})
		}
		b.closed = append(b.closed, b.packCopies(b.copies))
		b.header.Segments++
		b.sigs, b.copies = nil, nil
	}
}

// packOpen packs the open block and its signature.
func (b *builder) packOpen() []byte {
	n := uint32(b.header.Blocks)
	sig := signatureOf(b.open.texts)
	b.closed = append(b.closed,
		b.store.NewPart(cache.PartKey{Kind: kindBlock, Num: n}, b.open.encode()),
		b.store.NewPart(cache.PartKey{Kind: kindSignature, Num: n}, sig))
	return sig
}

// packCopies packs the originals of the copies in the blocks of the last segment.
func (b *builder) packCopies(blocks [][]recordID) cache.Part {
	return b.store.NewPart(cache.PartKey{Kind: kindCopies, Num: uint32(b.header.Segments)}, encodeCopies(blocks))
}

// save stores the read commits, in one transaction. It is called between commits.
func (b *builder) save(ctx context.Context) error {
	b.header.Originals = len(b.known.list)
	header, starts, copies := b.header, b.starts, b.copies
	if b.open.records > 0 {
		b.packOpen()
		header.Blocks++
		starts = append(slices.Clip(starts), b.open.first)
		copies = append(slices.Clip(copies), b.open.copies)
	}
	b.closed = append(b.closed, b.store.NewPart(cache.PartKey{Kind: kindStarts}, encodeStarts(starts)), b.packCopies(copies))
	b.closed = append(b.closed, b.known.parts(b.store.NewPart)...)
	header.Commits, header.Built = b.done, time.Now().UTC().Truncate(time.Second)
	for first := b.first; first < header.Commits; first += chapter {
		end := min(first+chapter, header.Commits)
		b.closed = append(b.closed, b.store.NewPart(cache.PartKey{Kind: kindCommits, Num: uint32(first / chapter)}, b.graph.encode(first, end)))
	}
	data, err := json.Marshal(header)
	if err != nil {
		return err
	}
	b.closed = append(b.closed, b.store.NewPart(cache.PartKey{Kind: kindHeader}, data))
	if err := b.store.Store(ctx, b.closed, b.remove); err != nil {
		return err
	}
	b.header.Commits, b.header.Built = header.Commits, header.Built
	b.first = header.Commits / chapter * chapter
	b.closed, b.remove, b.saved = nil, nil, time.Now()
	return nil
}

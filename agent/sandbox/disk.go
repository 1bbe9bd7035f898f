package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// A Disk bounds the bytes that commands add to the disk. All commands that write the same
// directories should share one Disk, because it counts their sum. It is safe for concurrent
// use. It does not bound writes between two measurements and until the command has ended, nor,
// at level [None], writes outside of the directories.
type Disk struct {
	max   int64
	began time.Time

	mu    sync.Mutex
	first map[string]space // free space before the first command, by directory
	over  int64            // bytes that the commands had added when the last one began, if these were too many
	ended bool             // a command was ended because it added too much
}

// NewDisk returns a bound for commands that start from now on. Together they may add max bytes
// to their writable directories; 0 is no limit. They may also use at most half of the free
// bytes and half of the free file entries in the file systems of these directories.
func NewDisk(max int64) *Disk {
	return &Disk{max: max, began: time.Now(), first: map[string]space{}}
}

// space is the free space of a file system; a negative number is unknown.
type space struct{ bytes, files int64 }

// A diskFull is the cause of the end of a context by a Disk.
type diskFull struct{ why string }

func (e *diskFull) Error() string { return e.why }

const (
	// diskInterval is the time between two measurements of the free space.
	diskInterval = 200 * time.Millisecond
	// diskShare bounds the time for adding up files: to 1/diskShare of the whole time.
	diskShare = 30
	// spareShare bounds the space for a command that starts when less than half of the first
	// free space is left, as other programs may have used the rest: the command may use
	// 1/spareShare of the present free space.
	spareShare = 8
)

// watch ends a command with a [diskFull] when it has added too much to its directories.
// It returns when ctx ends.
func (d *Disk) watch(ctx context.Context, dirs []string, end context.CancelCauseFunc) {
	floors := d.floors(dirs)
	tick := time.NewTicker(diskInterval)
	defer tick.Stop()
	var next time.Time // of the next time that files are added up
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, dir := range dirs {
			if why := floors[dir].reached(freeSpace(dir)); why != "" {
				end(&diskFull{why})
				return
			}
		}
		if d.max <= 0 || time.Now().Before(next) {
			continue
		}
		start := time.Now()
		if added := d.added(ctx, dirs); d.exceeded(added) {
			end(&diskFull{fmt.Sprintf("it added %s to the disk, and %s are allowed", amount(added), amount(d.max))})
			return
		}
		next = time.Now().Add(diskShare * time.Since(start))
	}
}

// A floor is the space that a command must leave free.
type floor struct{ first, least space }

// floors returns the floor of each directory for a command that starts now.
func (d *Disk) floors(dirs []string) map[string]floor {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := map[string]floor{}
	for _, dir := range dirs {
		now := freeSpace(dir)
		first, known := d.first[dir]
		if !known {
			first = now
			d.first[dir] = now
		}
		list[dir] = floor{first, space{
			bytes: min(first.bytes/2, now.bytes-now.bytes/spareShare),
			files: min(first.files/2, now.files-now.files/spareShare),
		}}
	}
	return list
}

// reached says why a command must be ended, "" if it need not be.
func (f floor) reached(now space) string {
	switch {
	case now.bytes >= 0 && now.bytes < f.least.bytes:
		return fmt.Sprintf("the disk has %s left of the %s that were free", amount(now.bytes), amount(f.first.bytes))
	case now.files >= 0 && now.files < f.least.files:
		return fmt.Sprintf("the disk has room for %d files left of %d", now.files, f.first.files)
	}
	return ""
}

// begin is called before a command starts. If the commands before have added too much, the new
// command is not ended for that, because it may clean up. It only must not add more.
func (d *Disk) begin(ctx context.Context, dirs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		d.over = d.added(ctx, dirs)
		d.ended = d.over > d.max // exceeded may set it again
	}
}

// exceeded reports whether the commands have added too much.
func (d *Disk) exceeded(added int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if added <= max(d.over, d.max) {
		return false
	}
	d.ended = true
	return true
}

// added adds up the files in the directories that changed since the Disk was made. Commands may
// change the directories meanwhile; added reads only sizes and times.
func (d *Disk) added(ctx context.Context, dirs []string) (sum int64) {
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			if err != nil {
				return nil // the file was removed, or cannot be read
			}
			if info, err := entry.Info(); err == nil {
				if size, changed := occupied(info); changed.After(d.began) {
					sum += size
				}
			}
			return nil
		})
	}
	return sum
}

// limited returns a context for a command, which ends at the limits of the Spec. cancel must be
// called.
func (s Spec) limited(ctx context.Context) (runCtx context.Context, cancel func()) {
	runCtx, end := context.WithCancelCause(ctx)
	stop := context.CancelFunc(func() {})
	if s.Timeout > 0 {
		runCtx, stop = context.WithTimeoutCause(runCtx, s.Timeout, errTimeout)
	}
	if s.Disk != nil {
		dirs := writable(s)
		if s.Cache != "" {
			dirs = append(dirs, freshHome(s))
		}
		s.Disk.begin(runCtx, dirs)
		go s.Disk.watch(runCtx, dirs, end) // ends with runCtx
	}
	return runCtx, func() { stop(); end(nil) }
}

// fullOf returns the reason of a Disk to end a context, "" if no Disk ended it.
func fullOf(ctx context.Context) string {
	var full *diskFull
	if errors.As(context.Cause(ctx), &full) {
		return full.why
	}
	return ""
}

// amount formats a number of bytes for a reader.
func amount(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

type purpose int

const (
	reading purpose = iota
	writing
)

// open returns the database, or nil if it cannot be used for this purpose.
// Opening for a read does not create the file.
func (c *Cache) open(ctx context.Context, p purpose) *handle {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.off, p == writing && c.readOnly:
		return nil
	case c.handle != nil && (p == reading || c.handle.current()):
		return c.handle
	case c.handle != nil:
		c.drop()
	}
	path := filepath.Join(c.dir, cacheFormat.name)
	if p == reading {
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	return c.openAt(ctx, path)
}

// openAt opens the file. If it must set the file aside, it tries again.
func (c *Cache) openAt(ctx context.Context, path string) *handle {
	for range 1 + maxAside {
		was, _ := os.Lstat(path) // nil if there is no file yet
		h, err := cacheFormat.open(ctx, path)
		if err == nil {
			c.handle, c.unpruned = h, -1
			return h
		}
		switch classify(err) {
		case passing:
			c.busy(ctx, path)
			return nil
		case moved:
			// Another process has put a new file there.
		case damaged, newer:
			if !c.setAside(path, was, err) {
				return nil
			}
		default:
			c.giveUp(err)
			return nil
		}
	}
	return nil
}

// busy warns that the file is locked, unless the caller has given up waiting.
func (c *Cache) busy(ctx context.Context, path string) {
	if ctx.Err() == nil {
		c.warnLocked(fmt.Sprintf("cache %q is locked by another process", path))
	}
}

// failed handles the error of a statement and reports whether to try again.
func (c *Cache) failed(ctx context.Context, h *handle, p purpose, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle != h {
		return !c.off // another goroutine has already handled the failure
	}
	what := classify(err)
	if maybeMoving(err) {
		waitForMove(h.path) // connecting while another process moves the file fails
	}
	if what != passing && !h.current() {
		what = moved
	}
	switch what {
	case passing:
		c.busy(ctx, h.path)
		return false
	case moved:
		c.drop()
		return true
	case damaged, newer:
		c.drop()
		return c.setAside(h.path, h.was, err)
	case denied:
		if p == writing {
			c.readOnly, c.reason = true, err
			c.warnLocked(fmt.Sprintf("cannot write cache %q: %v", h.path, err))
			return false
		}
	}
	c.drop()
	c.giveUp(err)
	return false
}

// suspect handles the first damaged entry. Either only its bytes are wrong, or
// rows share pages, so that replacing one row would damage another. To find out,
// suspect checks the structure of the whole file once for each opened file, which
// may take a second.
func (c *Cache) suspect(ctx context.Context, h *handle) {
	h.suspected.Do(func() {
		var r Report
		err := h.structure(ctx, &r)
		if err == nil && len(r.Problems) > 0 {
			err = &formError{path: h.path, problem: "its structure is damaged"}
		}
		if err != nil {
			c.failed(ctx, h, reading, err)
			return
		}
		c.warn(fmt.Sprintf("damaged entries of cache %q are ignored", h.path))
	})
}

// drop forgets the open file. Its connections close when their queries end.
func (c *Cache) drop() {
	_ = c.handle.close() // the file is known to be bad; an error of Close adds nothing
	c.handle = nil
	clear(c.waiting)
}

// setAside renames the file. Of such files, it keeps only the newest damaged one
// and the newest one of a newer git-agent, because a cache is expendable.
func (c *Cache) setAside(path string, was os.FileInfo, why error) bool {
	suffix := asideDamaged
	if classify(why) == newer {
		suffix = asideNewer
	}
	c.aside++
	if c.aside > maxAside {
		c.giveUp(why)
		return false
	}
	name, err := setAside(path, was, suffix, time.Time{})
	if err != nil {
		c.giveUp(errors.Join(why, err))
		return false
	}
	if name != "" {
		c.warnLocked(fmt.Sprintf("cache %q was set aside as %q: %v", path, filepath.Base(name), why))
	}
	return true
}

func (c *Cache) giveUp(err error) {
	c.off, c.reason = true, err
	c.warnLocked(fmt.Sprintf("cannot use a cache in %q: %v", c.dir, err))
}

func (c *Cache) warn(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnLocked(text)
}

func (c *Cache) warnLocked(text string) {
	if !c.warned[text] {
		c.warned[text] = true
		c.opt.Warn(text)
	}
}

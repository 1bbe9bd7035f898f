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

// open returns the database, or nil when there is none for this purpose. A read does not
// create the file.
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

// openAt opens the file, which may take a second attempt when it is set aside.
func (c *Cache) openAt(ctx context.Context, path string) *handle {
	for range 1 + maxAside {
		was, _ := os.Lstat(path) // nil when there is none yet
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

// busy warns of a lock, unless it was the caller who stopped waiting.
func (c *Cache) busy(ctx context.Context, path string) {
	if ctx.Err() == nil {
		c.warnLocked(fmt.Sprintf("cache %q is locked by another process", path))
	}
}

// failed acts on an error of a statement and says whether to try again.
func (c *Cache) failed(ctx context.Context, h *handle, p purpose, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle != h {
		return !c.off // someone else has dealt with it
	}
	what := classify(err)
	if unsettled(err) {
		settle(h.path) // a connection that is made while the file is on the move fails
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
			c.warnLocked(fmt.Sprintf("cache %q is not written: %v", h.path, err))
			return false
		}
	}
	c.drop()
	c.giveUp(err)
	return false
}

// suspect acts on the first damaged entry. Either only its bytes are wrong, or rows share
// pages and replacing the one damages the other. The check reads the whole file, which
// may take a second, once for each time that a file is found to be damaged.
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
	_ = c.handle.close() // its state is known to be bad, and the error that says so is at hand
	c.handle = nil
	clear(c.waiting)
}

// setAside keeps one damaged file and one that is newer: they are caches, and the newest
// is enough.
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
	c.warnLocked(fmt.Sprintf("no cache in %q: %v", c.dir, err))
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

package cache

import (
	"context"
	"encoding/binary"
)

// entry is a row of the table entry.
type entry struct {
	stored
	used int64
}

func (h *handle) lookup(ctx context.Context, sum []byte) (entry, error) {
	var e entry
	err := h.read.QueryRowContext(ctx,
		"SELECT used, encoding, size, sum, value FROM entry WHERE id = ? AND key = ?", rowID(sum), sum).
		Scan(&e.used, &e.encoding, &e.size, &e.sum, &e.data)
	return e, err
}

func (h *handle) insert(ctx context.Context, sum []byte, kind string, now int64, s stored) error {
	_, err := h.write.ExecContext(ctx,
		"REPLACE INTO entry (id, key, kind, used, encoding, size, stored, sum, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		rowID(sum), sum, kind, now, s.encoding, s.size, len(s.data), s.sum, s.data)
	return err
}

// rowID returns the id of the row for a key, from the key's hash.
func rowID(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) }

// touch records the use of a row if its last recorded use is old.
func (c *Cache) touch(ctx context.Context, id, used int64) {
	now := c.opt.now().UnixMilli()
	if now-used < useResolution.Milliseconds() {
		return
	}
	c.mu.Lock()
	c.waiting[id] = now
	full := len(c.waiting) >= maxWaiting
	h := c.handle
	c.mu.Unlock()
	if full && h != nil {
		c.flush(ctx, h, true)
	}
}

// flush writes the waiting uses to the file. Unless all is true, flush writes
// only if many uses wait, because another Put or Close will follow.
func (c *Cache) flush(ctx context.Context, h *handle, all bool) {
	c.mu.Lock()
	n := len(c.waiting)
	if n == 0 || c.readOnly || c.handle != h || !all && n < maxWaiting/16 {
		c.mu.Unlock()
		return
	}
	uses := c.waiting
	c.waiting = map[int64]int64{}
	c.mu.Unlock()
	if err := h.markUsed(ctx, uses); err != nil {
		c.failed(ctx, h, writing, err)
	}
}

func (h *handle) markUsed(ctx context.Context, uses map[int64]int64) error {
	tx, err := h.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no effect after a commit
	update, err := tx.PrepareContext(ctx, "UPDATE entry SET used = ? WHERE id = ?")
	if err != nil {
		return err
	}
	defer update.Close()
	for id, used := range uses {
		if _, err := update.ExecContext(ctx, used, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

package cache

import (
	"context"
	"database/sql"
)

const (
	// Pruning continues down to this share of the limit, so that it is rare.
	pruneNumerator, pruneDenominator = 9, 10
	// pruneBatch bounds the rows that one transaction removes, so that other
	// processes get their turn.
	pruneBatch = 256
)

// limit returns the largest size of the file in bytes.
func (c *Cache) limit(ctx context.Context) int64 {
	c.limited.Do(func() {
		if c.bytes = c.opt.Limit(ctx); c.bytes <= 0 {
			c.bytes = defaultLimit
		}
	})
	return c.bytes
}

// pruneIfDue prunes at the first write of a process, and then after each further
// 64th of the limit.
func (c *Cache) pruneIfDue(ctx context.Context, h *handle, wrote int64) {
	limit := c.limit(ctx)
	c.mu.Lock()
	due := c.unpruned < 0 || c.unpruned+wrote > limit/64
	if due {
		c.unpruned = 0
	} else {
		c.unpruned += wrote
	}
	c.mu.Unlock()
	if !due {
		return
	}
	c.flush(ctx, h, true) // so that recently used entries do not look old
	if _, err := h.pruneAbove(ctx, limit); err != nil {
		c.failed(ctx, h, writing, err)
	}
}

// pruneAbove removes the least recently used entries if the file has more than
// limit bytes, and returns the number of removed entries.
func (h *handle) pruneAbove(ctx context.Context, limit int64) (int64, error) {
	live, err := h.live(ctx)
	if err != nil || live <= limit {
		return 0, err
	}
	return h.pruneTo(ctx, limit/pruneDenominator*pruneNumerator)
}

func (h *handle) pruneTo(ctx context.Context, target int64) (int64, error) {
	var removed int64
	for {
		live, err := h.live(ctx)
		if err != nil || live <= target {
			return removed, err
		}
		n, err := h.removeOldest(ctx, live-target)
		removed += n
		if err != nil || n == 0 {
			return removed, err
		}
	}
}

// live returns the size of the pages in use, in bytes. Free pages do not count,
// because SQLite reuses them before the file grows. Reading these numbers needs
// no scan.
func (h *handle) live(ctx context.Context) (int64, error) {
	var pages, free, size int64
	for _, p := range []struct {
		name string
		to   *int64
	}{{"page_count", &pages}, {"freelist_count", &free}, {"page_size", &size}} {
		if err := h.write.QueryRowContext(ctx, "PRAGMA "+p.name).Scan(p.to); err != nil {
			return 0, err
		}
	}
	return (pages - free) * size, nil
}

// removeOldest removes at most one batch of entries, of about the given total
// size.
func (h *handle) removeOldest(ctx context.Context, bytes int64) (int64, error) {
	tx, err := h.write.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // after a commit this does nothing
	oldest, err := oldest(ctx, tx, bytes)
	if err != nil {
		return 0, err
	}
	for _, id := range oldest {
		if _, err := tx.ExecContext(ctx, "DELETE FROM entry WHERE id = ?", id); err != nil {
			return 0, err
		}
	}
	return int64(len(oldest)), tx.Commit()
}

// oldest returns the ids of the least recently used entries.
func oldest(ctx context.Context, tx *sql.Tx, bytes int64) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, stored FROM entry ORDER BY used, stored, id LIMIT ?", pruneBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for bytes > 0 && rows.Next() {
		var id, stored int64
		if err := rows.Scan(&id, &stored); err != nil {
			return nil, err
		}
		ids = append(ids, id)
		bytes -= stored
	}
	return ids, rows.Err()
}

package validate

import (
	"context"
	"sync"
)

// A lazy value is made at its first use. If another goroutine is making the value, a caller
// waits for it until the caller's context ends. The zero lazy is ready for use.
type lazy[T any] struct {
	once  sync.Once
	gate  chan struct{} // holds one token while nobody makes the value
	made  bool
	value T
}

// get returns the value. After an error the next caller tries again: the context that
// ended may have been the first caller's own.
func (l *lazy[T]) get(ctx context.Context, create func(context.Context) (T, error)) (T, error) {
	l.once.Do(func() {
		l.gate = make(chan struct{}, 1)
		l.gate <- struct{}{}
	})
	select {
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	case <-l.gate:
	}
	defer func() { l.gate <- struct{}{} }()
	if l.made {
		return l.value, nil
	}
	value, err := create(ctx)
	l.value, l.made = value, err == nil
	return value, err
}

package gitext

import (
	"context"
	"time"
)

// blockedAfter is how long git may run before the check, which takes a fraction
// of a second in a large repository.
const blockedAfter = 2 * time.Second

// A blockWatcher looks for a file that blocks git. It returns an error that
// names the file, or nil.
type blockWatcher func(context.Context) error

// watch schedules the check. If it finds a blocking file it ends the call
// through cancel.
func (look blockWatcher) watch(ctx context.Context, cancel context.CancelCauseFunc) (stop func() bool) {
	if look == nil {
		return func() bool { return false }
	}
	return time.AfterFunc(blockedAfter, func() {
		if err := look(ctx); err != nil {
			cancel(err)
		}
	}).Stop
}

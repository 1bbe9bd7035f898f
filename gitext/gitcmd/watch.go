package gitcmd

import (
	"context"
	"time"
)

// git opens the files of a repository whatever they are. If one is a named
// pipe, git waits until the time-out, which is long because some real answers
// take long. So when a call has run for a while, we check once whether such a
// file blocks it, and if so end the call with an error that names the file.

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

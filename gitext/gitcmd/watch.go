package gitcmd

import (
	"context"
	"time"
)

// git opens the files of a repository even if they are not regular. At a named
// pipe, git waits until the time-out, which is long because some real answers
// take long. So after blockedAfter, a call checks once for such a file, and if it
// finds one, ends with an error that names the file.

// blockedAfter is the running time of git before the check. The check takes a
// fraction of a second in a large repository.
const blockedAfter = 2 * time.Second

// A blockWatcher looks for a file that blocks git. It returns an error that
// names the file, or nil.
type blockWatcher func(context.Context) error

// watch schedules the check. If the check finds a blocking file, watch ends the
// call through cancel.
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

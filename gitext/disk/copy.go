package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Copy copies a regular file of at most max bytes to a new one.
func Copy(to, from string, max int64) error {
	in, err := Regular(from)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	if info, err := in.Stat(); err != nil || info.Size() > max {
		return errors.Join(err, fmt.Errorf("%q has more than %d bytes", from, max))
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

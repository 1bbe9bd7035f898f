package trial

import (
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxWatched bounds how many directories are watched: the kernel holds about a kilobyte
// for each.
const maxWatched = 20000

// A watch collects the files of some directories that processes open.
type watch struct {
	notices *os.File
	dirs    map[int32]string // the kernel's number of a directory, and the path from the top
	opened  map[string]bool
	lost    bool // the kernel dropped notices
	done    chan struct{}
}

// WatchOpened begins to collect the files of the work tree that commands open. stop ends the
// collection and returns the paths; complete says that no file was missed. Links are not
// followed.
func (w *Workspace) WatchOpened(files []string) (stop func() (opened map[string]bool, complete bool)) {
	none := func() (map[string]bool, bool) { return nil, false }
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return none
	}
	v := &watch{notices: os.NewFile(uintptr(fd), "inotify"), dirs: map[int32]string{}, opened: map[string]bool{}, done: make(chan struct{})}
	if !v.add(fd, w.tree, files) {
		v.notices.Close()
		return none
	}
	go v.collect()
	return func() (map[string]bool, bool) {
		for pending(fd) { // a closed file cannot be read
			time.Sleep(time.Millisecond)
		}
		v.notices.Close()
		<-v.done
		return v.opened, !v.lost
	}
}

// pending reports whether the kernel holds notices that nobody has read.
func pending(fd int) bool {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return err == nil && n > 0
}

// add watches the directories of files. It reports whether all of them can be watched.
func (v *watch) add(fd int, top string, files []string) bool {
	dirs := map[string]bool{".": true}
	for _, f := range files {
		for dir := filepath.Dir(filepath.FromSlash(f)); !dirs[dir]; dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	if len(dirs) > maxWatched {
		return false
	}
	for dir := range dirs {
		number, err := unix.InotifyAddWatch(fd, filepath.Join(top, dir), unix.IN_OPEN|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW|unix.IN_EXCL_UNLINK)
		if err != nil {
			return false
		}
		v.dirs[int32(number)] = dir
	}
	return true
}

// collect reads notices until the file is closed.
func (v *watch) collect() {
	defer close(v.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := v.notices.Read(buffer)
		if err != nil {
			return
		}
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			event := (*unix.InotifyEvent)(unsafe.Pointer(&rest[0]))
			name := strings.TrimRight(string(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+event.Len]), "\x00")
			rest = rest[unix.SizeofInotifyEvent+event.Len:]
			dir, known := v.dirs[event.Wd]
			switch {
			case event.Mask&unix.IN_Q_OVERFLOW != 0:
				v.lost = true
			case known && name != "" && event.Mask&unix.IN_ISDIR == 0:
				v.opened[filepath.ToSlash(filepath.Join(dir, name))] = true
			}
		}
	}
}

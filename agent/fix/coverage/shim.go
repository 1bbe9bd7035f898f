package coverage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// shim writes a shell script that hides the program name when shimPath is the PATH. body is the
// script's code; in it, @REAL@ stands for the quoted path of the real program, and @DIR@ for
// that of the job's directory. shim reports false if the program is not installed.
func (j *job) shim(name, body string) (bool, error) {
	real, err := j.w.Program(name)
	if err != nil {
		return false, nil
	}
	text := "#!/bin/sh\n" + strings.NewReplacer("@REAL@", quote(real), "@DIR@", quote(j.dir)).Replace(body)
	if _, err := j.make(filepath.Join("bin", name), 0o700, []byte(text)); err != nil {
		return false, fmt.Errorf("write a program for %s: %w", name, err)
	}
	return true, nil
}

// shimPath returns the PATH variable with the job's own programs first.
func (j *job) shimPath() string {
	return "PATH=" + filepath.Join(j.dir, "bin") + string(os.PathListSeparator) + j.w.Path()
}

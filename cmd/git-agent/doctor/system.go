package doctor

import (
	"runtime"
	"strings"
)

// checkSystem says what does not work on this operating system. The section SYSTEMS of
// git-agent-compatibility(7) says the same.
func checkSystem() finding {
	const check = "system"
	missing := missingOn(runtime.GOOS)
	if len(missing) == 0 {
		return ok(check, "%s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return warn(check, "git agent man compatibility", "%s/%s, where %s", runtime.GOOS, runtime.GOARCH, strings.Join(missing, "; "))
}

// missingOn lists what does not work on an operating system and works on Linux.
func missingOn(goos string) []string {
	if goos == "linux" {
		return nil
	}
	list := []string{
		"nothing confines commands: fix, bisect, szz --verify and crash --repro run them only with --sandbox=none",
		"core files are read only with agent.sandbox=none",
		"the memory of git is not limited",
		"commands are not watched for the files that they open, so bisect and fix know less",
	}
	if goos == "windows" {
		list = append(list,
			"commands need sh in PATH, which Git for Windows has in its directory usr\\bin",
			"two processes may write the patch of fix at the same time",
			"temporary folders of killed runs are not removed")
	}
	return list
}

package format

import (
	"git-agent/agent/crash/format/kernel"
	"git-agent/agent/crash/format/managed"
	"git-agent/agent/crash/format/native"
	"git-agent/agent/crash/format/scan"
)

// formats returns the formats, those that are surest of their lines first.
func formats() []scan.Format {
	return []scan.Format{
		&kernel.Kernel{},
		&kernel.BSD{},
		&native.ClusterFuzz{},
		&native.Tombstone{},
		&native.Glog{},
		&native.Minidump{},
		&managed.Python{},
		&managed.Pytest{},
		&managed.Golang{},
		&managed.Rust{},
		&managed.Java{},
		&managed.Hotspot{},
		&managed.DotNet{},
		&managed.JavaScript{},
		&managed.Ruby{},
		&managed.PHP{},
		&native.Sanitizer{},
		&native.Valgrind{},
		&native.HashFrames{},
		&native.Apple{},
		&native.Debugger{},
		&native.Assertion{},
		&native.Libc{},
		&hanaText{},
	}
}

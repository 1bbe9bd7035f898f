package format

// formats returns the formats, those that are surest of their lines first.
func formats() []format {
	return []format{
		&kernel{},
		&bsd{},
		&clusterfuzz{},
		&tombstone{},
		&glog{},
		&minidump{},
		&python{},
		&pytest{},
		&golang{},
		&rust{},
		&java{},
		&hotspot{},
		&dotnet{},
		&javascript{},
		&ruby{},
		&php{},
		&sanitizer{},
		&valgrind{},
		&hashFrames{},
		&apple{},
		&debugger{},
		&assertion{},
		&libc{},
		&hanaText{},
	}
}

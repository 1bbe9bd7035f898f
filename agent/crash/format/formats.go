package format

// formats returns the formats, those that are surest of their lines first.
func formats() []lineReader {
	return []lineReader{
		&kernelReader{},
		&bsdReader{},
		&clusterFuzzReader{},
		&tombstoneReader{},
		&glogReader{},
		&minidumpReader{},
		&pythonReader{},
		&pytestReader{},
		&goReader{},
		&rustReader{},
		&javaReader{},
		&hotspotReader{},
		&dotNetReader{},
		&javaScriptReader{},
		&elixirReader{},
		&rubyReader{},
		&phpReader{},
		&sanitizerReader{},
		&valgrindReader{},
		&numberedReader{},
		&appleReader{},
		&debuggerReader{},
		&assertionReader{},
		&libcReader{},
		&hanaText{},
	}
}

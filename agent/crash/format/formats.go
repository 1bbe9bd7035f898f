package format

// formats returns the formats, the most specific ones first.
func formats() []lineReader {
	return append([]lineReader{
		&elispReader{}, // before others, as the arguments of its calls may be texts of all kinds
		&tclReader{},   // likewise
		&rReader{},     // before others that know a heading "Backtrace:"
		&kernelReader{},
		&bsdReader{},
		&clusterFuzzReader{},
		&tombstoneReader{},
		&glogReader{},
		&minidumpReader{},
		&windowsReader{},
		&pythonReader{},
		&pytestReader{},
		&goReader{},
		&goErrorReader{},
		&rustReader{},
		&javaReader{},
		&hotspotReader{},
		&dotNetReader{},
		&javaScriptReader{},
		&erlangReader{},
		&elixirReader{},
		&rubyReader{},
		&monologReader{},
		&xdebugReader{},
		&phpReader{},
		&sanitizerReader{},
		&valgrindReader{},
		&nimReader{},
		&vimReader{},
		&matlabReader{},
		sentryReader{},
		&oneLineReader{lineForm: dartForm},
		&numberedReader{},
		&appleReader{},
		&moduleReader{},
		&debuggerReader{},
		&assertionReader{},
		&libcReader{},
		&hanaText{},
		&goTestReader{},
	}, oneLineReaders()...)
}

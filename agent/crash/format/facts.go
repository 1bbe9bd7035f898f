package format

import (
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// The signals that end a program, by name and by number on Linux.
var (
	signalNames = map[string]string{
		"3": "SIGQUIT", "4": "SIGILL", "5": "SIGTRAP", "6": "SIGABRT", "7": "SIGBUS", "8": "SIGFPE", "9": "SIGKILL", "11": "SIGSEGV", "31": "SIGSYS",
	}

	signalNumbers = map[string]int{
		"SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGSYS": 31,
	}
)

// symbolOf returns a function's name, and its symbol if that says more than the name.
func symbolOf(name string) (symbol, function string) {
	name = strings.TrimSpace(name)
	function = functionName(name)
	if name != function && name != "??" && name != "n/a" {
		symbol = name
	}
	return symbol, function
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<30 {
		return 0
	}
	return n
}

// accessWord returns the access that the words of a failure mention.
func accessWord(words string) string {
	for _, w := range strings.Fields(strings.ToLower(words)) {
		switch w {
		case "read", "write":
			return w
		}
	}
	return ""
}

func hexDigits(s string) int {
	n := 0
	for n < len(s) && (source.IsDigit(s[n]) || s[n] >= 'a' && s[n] <= 'f') {
		n++
	}
	return n
}

package testcmd

import (
	"slices"
	"strings"
)

// rubyAmong returns the files with tests of minitest and test-unit.
func rubyAmong(files []string) []string {
	return slices.DeleteFunc(namedBy(`(^|/)(?:test|spec)_[^/]*\.rb$|_(?:test|spec)\.rb$`)(files), func(f string) bool {
		return strings.HasSuffix(f, "_helper.rb") || strings.ContainsAny(f, "{},*?[] ")
	})
}

// filesOfRake tells the test task of rake its files: TEST is a pattern in place of the task's own.
func filesOfRake(args []word, files []string) ([]string, bool) {
	if len(args) != 1 || args[0].value != "test" {
		return nil, false
	}
	pattern := files[0]
	if len(files) > 1 {
		pattern = quote("{" + strings.Join(files, ",") + "}")
	}
	return []string{"test", "TEST=" + pattern}, true
}

// filesOfMix names files to mix test. An umbrella project names those of its applications in other ways.
func filesOfMix(args []word, files []string) ([]string, bool) {
	inApp := slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, "apps/") })
	if len(args) == 0 || args[0].value != "test" || inApp {
		return nil, false
	}
	rest := slices.DeleteFunc(slices.Clone(args), func(a word) bool { return strings.Contains(a.value, ".exs") })
	return append(raws(rest), quoteAll(files)...), true
}

// fileOfPHPUnit names one file; older versions of PHPUnit take no second one.
func fileOfPHPUnit(args []word, files []string) ([]string, bool) {
	named := slices.ContainsFunc(args, func(a word) bool { return !strings.HasPrefix(a.value, "-") })
	if len(files) != 1 || named {
		return nil, false
	}
	return append(raws(args), quoteAll(files)...), true
}

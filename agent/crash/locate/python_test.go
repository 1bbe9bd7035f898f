package locate

import "testing"

// The paths are of a failed import in the tests of humanize: Python's own library is no file of the
// project, wherever it is installed.
func TestLibraryOfPython(t *testing.T) {
	t.Parallel()
	files := NewFiles([]string{"src/humanize/__init__.py", "src/humanize/number.py", "tests/test_number.py"})
	for reported, want := range map[string]string{
		"/srv/u/.pyenv/versions/3.11.7/lib/python3.11/importlib/__init__.py":          "",
		"/opt/conda/lib/python3.9/importlib/__init__.py":                              "",
		`C:\Users\u\AppData\Local\Programs\Python\Python39\lib\importlib\__init__.py`: "",
		"/srv/u/.venv/lib/python3.11/site-packages/humanize/number.py":                "src/humanize/number.py",
		"/srv/u/humanize/src/humanize/__init__.py":                                    "src/humanize/__init__.py",
	} {
		paths, _ := files.Find(reported)
		if got := append(paths, "")[0]; got != want {
			t.Errorf("%s: %q, want %q", reported, got, want)
		}
	}
}

package source

import "testing"

func TestSetsVersion(t *testing.T) {
	for line, want := range map[string]bool{
		`__version__ = "8.0"`:                           true,
		`__version__ = '8.0.3'`:                         true,
		`#define LIB_VERSION "1.2.3"`:                   true,
		`const char *lib_version = "1.2.3";`:            true,
		`exports.version = '4.17.20';`:                  true,
		"\tversion: '2.0.0-rc.1',":                      true,
		`const Version = "v1.2.3"`:                      true,
		`    version="1.2.3",`:                          true,
		`  VERSION = '1.2.3'`:                           true,
		`  s.version = "1.2.3"`:                         true,
		`public static final String VERSION = "1.2.3";`: true,
		`pub const VERSION: &str = "1.2.3";`:            true,
		`if (strcmp(version, "1.2.3") == 0)`:            false,
		`print("version 1.2.3");`:                       false,
		`httpVersion: '1.1',`:                           false,
		`versions: ['1.2.3'],`:                          false,
		`version = get("1.2.3")`:                        false,
		`if version == "1.2.3":`:                        false,
		`address = "1.2.3.4"`:                           false,
		`setup(name="x", version="1.2.3")`:              false,
	} {
		if SetsVersion([]byte(line)) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
}

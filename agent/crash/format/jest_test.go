package format

import (
	"strings"
	"testing"
)

// The status of a service begins with the dot that Jest puts before the name of a test.
func TestServiceIsNoTestOfJest(t *testing.T) {
	t.Parallel()
	report, err := Read(strings.NewReader(`● shop.service - Shop in Node.js
     Loaded: loaded (/etc/systemd/system/shop.service; enabled)
     Active: failed (Result: exit-code)

The log of the service ends with:
    at sell (/src/shop.js:7:3)
    at main (/src/main.js:3:1)
`))
	if err != nil || len(report.Stacks) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	if st := report.Stacks[0]; st.Test != "" || len(report.Problems) != 0 {
		t.Errorf("test %q, problems %+v", st.Test, report.Problems)
	}
}

package format

import (
	"strings"
	"testing"
)

// A message may have the sign that ends a frame of App Center.
func TestSignOfAppCenterInMessage(t *testing.T) {
	t.Parallel()
	report, err := Read(strings.NewReader(`Unhandled exception. System.InvalidOperationException: Call Init(); before Add
   at Shop.Cart.Add(Int32 id) in /src/Cart.cs:line 12
   at Shop.Program.Main(String[] args) in /src/Program.cs:line 5
`))
	if err != nil || len(report.Problems) != 1 || len(report.Stacks) != 1 || len(report.Stacks[0].Frames) != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	if p := report.Problems[0]; p.Kind != "System.InvalidOperationException" || p.Message != "Call Init(); before Add" {
		t.Errorf("%+v", p)
	}
}

package format

import (
	"fmt"
	"strings"
	"testing"
)

// A log of days has the same error thousands of times. Its formats are read up to the stacks that are counted,
// and the versions and times up to its end.
func TestSated(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range maxStacks + maxLeft + 500 {
		fmt.Fprintf(&b, "2024-05-06 07:08:09 ERROR order failed\njava.lang.IllegalStateException: order %d is closed\n\tat com.example.Order.close(Order.java:%d)\n", i, i+1)
	}
	b.WriteString("2024-05-07 01:02:03 INFO shop 4.2.1 started\n")
	report, err := Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(report.Notes, "\n")
	if len(report.Stacks) != maxStacks || !strings.Contains(notes, "the report has more than 999 more stacks, which were not read") {
		t.Errorf("%d stacks, notes %s", len(report.Stacks), notes)
	}
	if last := report.Mentions[len(report.Mentions)-1]; report.Written != "2024-05-07" || last.Name != "shop" || last.Version != "4.2.1" {
		t.Errorf("written %s, mentions %v", report.Written, report.Mentions)
	}
}

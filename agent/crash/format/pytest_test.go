package format

import (
	"strings"
	"testing"
)

// Python's unittest prints one letter for each test, and "E" for one with an error.
func TestLineOfOneLetter(t *testing.T) {
	t.Parallel()
	const unittest = `E
======================================================================
ERROR: test_a (test_x.T.test_a)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/test_x.py", line 4, in test_a
    shop.sell(None)
  File "/src/shop.py", line 7, in sell
    raise ValueError("no item")
ValueError: no item

----------------------------------------------------------------------
Ran 1 test in 0.000s
`
	report, err := Read(strings.NewReader(unittest))
	if err != nil || len(report.Stacks) != 1 || report.Problems[0].Kind != "ValueError" {
		t.Errorf("%+v, %v", report, err)
	}
}

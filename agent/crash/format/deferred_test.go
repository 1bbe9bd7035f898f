package format

import (
	"strings"
	"testing"
)

func TestDeferredFunctions(t *testing.T) {
	// A deferred function that panics again is not where the first panic came from. The report is
	// like one of robertkrimen/otto, whose test harness does so.
	t.Parallel()
	report, err := Read(strings.NewReader(`panic: in.value.(Value) != true [recovered]
	panic: in.value.(Value) != true

goroutine 5 [running]:
github.com/robertkrimen/terst.Terst.func1()
	/go/terst/terst.go:69 +0x13
panic(0x1, 0x2)
	/usr/lib/go/src/runtime/panic.go:443 +0x4e9
github.com/robertkrimen/otto.(*_clone).property(0x3)
	/go/otto/clone.go:146 +0x40
`))
	if err != nil {
		t.Fatal(err)
	}
	var handlers []string
	for _, f := range report.Stacks[0].Frames {
		if f.Handler {
			handlers = append(handlers, f.Function)
		}
	}
	if len(handlers) != 1 || !strings.HasSuffix(handlers[0], "Terst.func1") && !strings.HasSuffix(handlers[0], "Terst") {
		t.Errorf("%q", handlers)
	}
}

func TestFrameInTheLineOfItsException(t *testing.T) {
	// The report is like one of brettwooldridge/HikariCP.
	t.Parallel()
	report, err := Read(strings.NewReader(`java.lang.NullPointerException at com.zaxxer.hikari.pool.PoolBase.isConnectionAlive(PoolBase.java:128)
	at com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:171)
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Problems) != 1 || report.Problems[0].Kind != "java.lang.NullPointerException" || len(report.Stacks) != 1 || len(report.Stacks[0].Frames) != 2 {
		t.Errorf("%+v, %+v", report.Problems, report.Stacks)
	}
}

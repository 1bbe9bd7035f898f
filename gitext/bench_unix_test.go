//go:build unix

package gitext

import (
	"syscall"
	"testing"
	"time"
)

// countCPU reports the processor time of this process and its children: on a busy
// machine, the only meaningful number.
func countCPU(b *testing.B) {
	b.Helper()
	before := cpuTime(b)
	b.Cleanup(func() { b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op") })
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

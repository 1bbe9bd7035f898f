//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Helper does nothing where no level needs one.
func Helper() {}

// noneLimits lists the processes that a command may leave running at level
// None.
func noneLimits() []string { return []string{"processes that leave the group of the command"} }

func probeLevel(context.Context, Level) (Isolation, error) {
	return Isolation{}, errors.New("it needs Linux")
}

func newJob(ctx context.Context, s Spec, _ Isolation, env []string) (*job, error) {
	return plainJob(ctx, s, env), nil
}

//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Helper does nothing where no level needs one.
func Helper() {}

// noneLimits are what level None does not hold, beside everything.
func noneLimits() []string { return []string{"processes that leave the group of the command"} }

func try(context.Context, Level) (Standing, error) {
	return Standing{}, errors.New("it needs Linux")
}

func newJob(ctx context.Context, s Spec, _ Standing, env []string) (*job, error) {
	return plainJob(ctx, s, env), nil
}

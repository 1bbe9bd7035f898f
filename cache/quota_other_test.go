//go:build !linux

package cache

import (
	"context"
	"errors"
)

func putWithQuota(context.Context, string, string) error { return errors.ErrUnsupported }

func appendWithQuota(context.Context, string, string) error { return errors.ErrUnsupported }

package main

import (
	"context"
	"fmt"

	"git-agent/gitext"
)

// cacheLimit reads agent.cacheLimit; 0 is for the default.
func cacheLimit(ctx context.Context, repo *gitext.Repo, warn func(string)) int64 {
	config, err := repo.Config(ctx)
	values := config["agent.cachelimit"]
	if err != nil || len(values) == 0 {
		return 0 // a configuration that git cannot read has been complained about by git
	}
	value := values[len(values)-1].Value // the last one wins, as in git
	size, ok := parseSize(value)
	if !ok || size < 1 {
		warn(fmt.Sprintf("agent.cacheLimit is %q, which is not a size such as 512m", value))
		return 0
	}
	return size
}

// parseSize reads a number as git does: k, m and g are powers of 1024.
func parseSize(s string) (int64, bool) { return gitext.ParseSize(s) }

// formatSize prints bytes in git's units, as `git count-objects -H` does.
func formatSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.2f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

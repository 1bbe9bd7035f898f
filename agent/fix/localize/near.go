package localize

import (
	"bytes"
	"path"
	"strings"
)

// nearTests tells how near a function's folder is to that of a failing test.
func (s *search) nearTests(c *candidate) float64 {
	best := 0.0
	for _, r := range s.regions {
		a, b := path.Dir(r.file.path), path.Dir(c.file.path)
		if a == b {
			best = 1
		}
	}
	return best
}

// stemTests tells whether the file of a function has the name of a failing test's file.
func (s *search) stemTests(c *candidate) float64 {
	stem := strings.TrimSuffix(path.Base(c.file.path), path.Ext(c.file.path))
	for _, r := range s.regions {
		t := strings.TrimSuffix(path.Base(r.file.path), path.Ext(r.file.path))
		t = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(t, "test_"), "Test"), "Test"), "test"), "_.-")
		if strings.EqualFold(t, stem) {
			return 1
		}
	}
	return 0
}

// namedIn tells whether the report or the output has the name of a function.
func (s *search) namedIn(c *candidate) float64 {
	if len(c.name) < 5 {
		return 0
	}
	if strings.Contains(s.in.Problem.Report, c.name) {
		return 1
	}
	_ = bytes.Contains
	return 0
}

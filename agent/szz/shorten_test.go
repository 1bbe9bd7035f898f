package szz

import (
	"testing"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// An answer keeps the first suspect, further ones that are probable, that a command has spoken of,
// or that have no probability, and no others.
func TestShorten(t *testing.T) {
	t.Parallel()
	v := &Answer{}
	add := func(id string, p float64, confirmation *suspect.Confirmation) {
		v.Suspects = append(v.Suspects, Suspect{Suspect: suspect.Suspect{
			Commit: gitext.Commit{OID: gitext.OID(id)}, Probability: p, Confirmation: confirmation,
		}})
	}
	add("first", 0.15, nil)
	add("probable", leastFurther, nil)
	add("hardly", 0.1, nil)
	add("refuted", 0.1, &suspect.Confirmation{Status: suspect.Refuted})
	add("unrated", 0, nil)
	v.Shorten()
	left := ""
	for _, s := range v.Suspects {
		left += string(s.Commit.OID) + " "
	}
	if left != "first probable refuted unrated " {
		t.Errorf("left: %s", left)
	}
	(&Answer{}).Shorten()
}

package agent

import "slices"

// A Switch turns off a part of a verb's method, by its name.
type Switch struct {
	Name string
	On   *bool
}

// SwitchesOn returns the names of the switches that are on.
func SwitchesOn(all []Switch) []string {
	var names []string
	for _, s := range all {
		if *s.On {
			names = append(names, s.Name)
		}
	}
	return names
}

// SwitchOn turns on the switches whose names are among the words. It ignores other words.
func SwitchOn(all []Switch, words []string) {
	for _, s := range all {
		*s.On = *s.On || slices.Contains(words, s.Name)
	}
}

package generate

// siblings takes from functions that resemble this one what they have and it lacks.
func (g *generator) siblings(s *site) []item { return nil }

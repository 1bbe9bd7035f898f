package localize

// score orders the candidates by what speaks for them.
func (s *search) score() {
	for _, c := range s.list {
		c.score = 3*c.frame + c.crash + 2*c.ochiai + 0.2*c.mean + 0.2*logShare(c.walk) + c.words[0] + c.words[1] + c.words[2] + c.words[3]
		if c.aged {
			c.score += 0.3 / (1 + c.age/30)
		}
		if c.given > 0 {
			c.score += 100 - 0.01*float64(c.given)
		}
	}
}

package crash

// A Declaration is the part of a type's declaration with a field that two threads access at the
// same time.
type Declaration struct {
	Field string `json:"field"`
	Type  string `json:"type,omitempty"` // "" if the type has no name
	Path  string `json:"path"`
	Line  int    `json:"line"` // of the field, from 1
	// Lines are the heading of the type, the field, the locks beside it and the end, or all lines
	// of a short declaration.
	Lines []DeclarationLine `json:"lines"`
}

// A DeclarationLine is a line of the file in which a type is declared.
type DeclarationLine struct {
	Line int    `json:"line"` // from 1
	Text string `json:"text"`
}

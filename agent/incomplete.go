package agent

// LacksObjects is the mark of an incomplete answer for which the clone lacks objects.
// LacksObjectsNote is the note about it for a reader.
const (
	LacksObjects     = "missing-objects"
	LacksObjectsNote = "this clone lacks objects that were needed: what depends on them was left out"
)

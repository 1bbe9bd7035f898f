package agent

// LacksObjects, among the things for which an answer is incomplete, says that the clone
// lacks objects that the answer needs. LacksObjectsNote says it to a reader.
const (
	LacksObjects     = "missing-objects"
	LacksObjectsNote = "this clone lacks objects that were needed: what depends on them was left out"
)

package fixlike

// A weight is the effect of one feature on the log-odds that a commit is a fix, for each
// unit of its value. say is the text about a commit whose feature has a negative weight;
// "" if the feature means nothing by itself.
type weight struct {
	name   string
	weight float64
	say    string
}

// weights are the weights of the features, in the order of Names, and the constant. They
// are fitted to 1,466 fixes of 33 repositories whose messages name their culprit and
// 3,329 random commits of 54 repositories, and scaled to 196 random commits read by hand
// (cmd/train/szztrain/testdata/read.jsonl):
//
//	go run ./cmd/train szz purpose -repos DIR -most 60 cases.jsonl random.jsonl cmd/train/szztrain/testdata/read.jsonl > rows
//	go run ./cmd/train szz fixlike rows
//
// In repositories that the model was not fitted to, it ranks a commit that a reader takes
// for a fix above another commit with a probability of .90, or .76 without their
// messages.
var weights = []weight{
	{"message", -0.88, ""},
	{"subject_fix", 2.59, ""},
	{"subject_fault", 0.44, ""},
	{"subject_repair", 1.41, ""},
	{"subject_feature", -0.16, ""},
	{"subject_refactor", -0.21, ""},
	{"subject_style", -0.78, "its subject speaks of style"},
	{"subject_doc", -1.22, "its subject speaks of documentation"},
	{"subject_release", -0.77, "its subject speaks of versions"},
	{"subject_test", 0.18, ""},
	{"files", -0.38, "it changes many files"},
	{"lines", -0.63, "it changes many lines"},
	{"source_lines", 1.11, ""},
	{"test_lines", 2.80, ""},
	{"no_source", -1.51, "it changes no source code"},
	{"comment_lines", -0.52, "it changes comments"},
	{"same_words", -1.76, "it changes white space"},
	{"same_but_digits", -1.42, "it changes only numbers"},
	{"only_adds", -1.14, "it removes no line"},
	{"constant", 1.32, ""},
}

package rank

import "git-agent/agent/source"

// phrase matches what the run-times of languages say of a failure, without the names in it. The words
// are of no project: "memory" in "invalid memory address" names no file memory.go.
var phrase = source.Lazy(`(?i)` +
	// Go
	`unexpected signal during runtime execution|assignment to entry in nil map|invalid memory address or nil pointer dereference|` +
	`(?:index|slice bounds) out of range(?: \[[^\]]*\])?(?: with (?:length|capacity) \d+)?|concurrent map (?:read and map write|writes|iteration and map write)|` +
	`all goroutines are asleep|(?:close|send) (?:of|on) (?:closed|nil) channel|integer divide by zero|interface conversion: (?:interface \{\} is)?|observed a panic|` +
	// Java
	`\bcannot (?:invoke|enter synchronized block|throw exception|read (?:field|the array length)|assign field|(?:load|store) (?:from|to) \w+ array)\b|` +
	`\bbecause\b|\bthe return value of\b|index \S+ out of bounds for length \S+|string index out of range|cannot be cast to(?: class)?|is in unnamed module of loader|` +
	// Python
	`\bexpected str, bytes or os\.PathLike object, not\b|\bunsupported operand type(?:\(s\))? for\b|takes (?:from )?\d+ (?:to \d+ )?positional arguments? but \d+ (?:was|were) given|` +
	`missing \d+ required (?:positional|keyword-only) arguments?|got (?:an unexpected keyword argument|multiple values for (?:keyword )?argument)|` +
	`object is not (?:subscriptable|iterable|callable|an iterator)|object (?:has no attribute|does not support item \w+|cannot be interpreted as an integer)|` +
	`\bindices must be integers(?: or slices)?|can only concatenate|codec can't (?:de|en)code (?:bytes?|characters?)|in position \d+(?:-\d+)?: [a-z ]+|` +
	`local variable|referenced before assignment|is not associated with a value|maximum recursion depth exceeded|changed size during iteration|` +
	`(?:not enough|too many) values to unpack|cannot import name|no module named|` +
	// valgrind
	`[\d,]+ (?:\([^)]*\) )?bytes in [\d,]+ blocks? are [a-z ]+ in loss record|conditional jump or move depends on uninitialised value|use of uninitialised value|` +
	`is [\d,]+ bytes (?:inside|before|after) a(?:n unallocated)? block of size [\d,]+ (?:free'd|alloc'd)?|` +
	// systems
	`no such file or directory|permission denied|connection refused|address already in use|resource temporarily unavailable|file exists|is a directory|not a directory`)

// machineFolders matches the folders of a path of somebody's machine, up to the last name.
var machineFolders = source.Lazy(`(?i)(?:\b[A-Z]:)?[/\\](?:users|home|root|tmp|var|private|opt|usr|build|builddir)(?:[/\\][\w.@+-]+)*[/\\]`)

// withoutPhrases returns a message without such phrases, and without the folders of machines.
func withoutPhrases(message string) string {
	return machineFolders().ReplaceAllString(phrase().ReplaceAllString(message, " "), " ")
}

package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// HeldOut is a set of repositories that nothing may be trained on, tuned on or mined
// from. It knows only hashes of their names.
type HeldOut map[string]bool

// ReadHeldOut reads a file whose lines are the name of a task and the SHA-256 of a
// repository's name in lower case, without the owner. It returns the repositories of one
// task. Without a file, it returns an empty set.
func ReadHeldOut(file, task string) (HeldOut, error) {
	held := HeldOut{}
	if file == "" {
		return held, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the repositories that are held out: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if sum, err := hex.DecodeString(words[len(words)-1]); err != nil || len(sum) != sha256.Size || len(words) != 2 {
			return nil, fmt.Errorf("%s:%d: not the name of a task and a SHA-256 in hexadecimal digits", file, i+1)
		}
		if words[0] == task {
			held[strings.ToLower(words[1])] = true
		}
	}
	return held, nil
}

// Has reports whether a repository, owner/name, is held out. Forks have the same name
// and are held out too.
func (h HeldOut) Has(repo string) bool {
	sum := sha256.Sum256([]byte(strings.ToLower(repo[strings.LastIndex(repo, "/")+1:])))
	return h[hex.EncodeToString(sum[:])]
}

package verbs

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/stat"
	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// bisectRuns keeps the runs of a search in a file, so that a call after an interrupt goes on. A
// search that ended removes the file.
type bisectRuns struct {
	known []bisect.Run
	file  *os.File // nil if there is no folder for it
}

// openBisectRuns opens the file of a search. Its name is made of what determines an outcome: the failure at another
// newest commit may be another one, and a command may end in another way with a network or more time.
func openBisectRuns(folders *store.Folders, q engine.Question, opt trial.Options, forget bool) (*bisectRuns, error) {
	if folders.CacheErr != nil {
		return &bisectRuns{}, nil
	}
	parts, err := json.Marshal([]any{q.Tip, q.Test, q.Build, q.Fixed, q.Over, q.Units, opt.Sandbox, opt.Network, opt.Env, opt.Timeout})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(parts)
	name := filepath.Join(folders.Cache.Path, "bisect-"+hex.EncodeToString(sum[:8])+".jsonl")
	if forget {
		os.Remove(name) // a missing file is as well
	}
	out := &bisectRuns{}
	if text, err := disk.ReadRegular(name, maxBisectRuns); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var r bisect.Run
			if json.Unmarshal(lines.Bytes(), &r) == nil && r.Commit != "" { // the last line may be cut
				out.known = append(out.known, r)
			}
		}
	}
	if out.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("keep the runs: %w", err)
	}
	return out, nil
}

// elsewhere counts the known runs at other commits than the newest one, where the command runs again.
func (b *bisectRuns) elsewhere(tip gitext.OID) int {
	n := 0
	for _, r := range b.known {
		n += stat.Count(r.Commit != tip)
	}
	return n
}

// maxBisectRuns bounds the file of a search, in bytes.
const maxBisectRuns = 16 << 20

// keep appends a run.
func (b *bisectRuns) keep(r bisect.Run) error {
	if b.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := b.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep the runs: %w", err)
	}
	return nil
}

func (b *bisectRuns) remove() {
	if b.file != nil {
		os.Remove(b.file.Name()) // a file that stays only saves runs
	}
}

func (b *bisectRuns) close() {
	if b.file != nil {
		b.file.Close() // each run was written at once
	}
}

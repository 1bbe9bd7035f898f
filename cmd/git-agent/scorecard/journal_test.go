//go:build linux

package scorecard

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The journals of shards are copied between machines, so an attacker may have written a line with
// a right checksum. Such a line costs bounded memory and time, and shows no characters that
// control a terminal.

// A journalLine is a line of a journal in its writers' form.
type journalLine struct {
	Sum  string          `json:"crc32c"`
	ID   string          `json:"id"`
	Body json.RawMessage `json:"entry"`
}

// signed returns a line with a right checksum.
func signed(id, body string) string {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Update(0, table, []byte(id+"\x00")), table, []byte(body))
	name, _ := json.Marshal(id) // text always has a form
	return fmt.Sprintf(`{"crc32c":"%08x","id":%s,"entry":%s}`, sum, name, body)
}

// hostileJournals change the lines of a journal: the header and the entries.
func hostileJournals() map[string]func(lines []string) string {
	header := func(change func(map[string]any)) func([]string) string {
		return func(lines []string) string {
			all := map[string]any{}
			if json.Unmarshal([]byte(lines[0]), &all) != nil {
				return ""
			}
			change(all)
			schema := all["schema"]
			delete(all, "schema")
			text, _ := json.Marshal(all) // of text and numbers
			return fmt.Sprintf(`{"schema":%q,`, schema) + string(text[1:]) + "\n" + strings.Join(lines[1:], "\n")
		}
	}
	entry := func(change func(id, body string) (string, string)) func([]string) string {
		return func(lines []string) string {
			out := slices.Clone(lines)
			for i := range out[1:] {
				var l journalLine
				if json.Unmarshal([]byte(out[i+1]), &l) == nil && l.ID != "" {
					out[i+1] = signed(change(l.ID, string(l.Body)))
				}
			}
			return strings.Join(out, "\n")
		}
	}
	body := func(text string) func([]string) string {
		return entry(func(id, _ string) (string, string) { return id, text })
	}
	swap := func(old, by string) func([]string) string {
		return entry(func(id, body string) (string, string) { return id, strings.ReplaceAll(body, old, by) })
	}
	list := map[string]func([]string) string{
		"answers of another kind": swap("git-agent/szz/1", "git-agent/crash/1"), "answers without a schema": swap(`"schema"`, `"x"`),
		"a control in a subject": swap(`"subject":"`, `"subject":"\u001b]0;evil\u0007\u202e`), "a control in every text": swap(`":"`, `":"\u001b[2J`),
		"probabilities out of range": swap(`"probability":0`, `"probability":-1e308`), "arrays for objects": swap(`{`, `[`), "text for numbers": swap(`:0.`, `:"x",".`),
		"a large answer":          swap(`"subject":"`, `"subject":"`+strings.Repeat("x", 20<<20)),
		"names that lead outside": entry(func(id, body string) (string, string) { return "../../../" + id, body }),
		"names with controls":     entry(func(id, body string) (string, string) { return "\x1b[31m\u202e" + id, body }),
		"one name for all":        entry(func(_, body string) (string, string) { return "1", body }),
		"a wrong checksum": func(lines []string) string {
			return strings.ReplaceAll(strings.Join(lines, "\n"), `"crc32c":"`, `"crc32c":"0`)
		},
		"every line twice":  func(lines []string) string { return strings.Join(append(lines, lines[1:]...), "\n") },
		"two headers":       func(lines []string) string { return strings.Join(append(lines, lines...), "\n") },
		"no header":         func(lines []string) string { return strings.Join(lines[1:], "\n") },
		"lines without end": func(lines []string) string { return lines[0] + "\n" + strings.Repeat("x", 300<<20) },
		"a million empty entries": func(lines []string) string {
			return lines[0] + "\n" + strings.Repeat(signed("1", "{}")+"\n", 1_000_000)
		},
		"NUL and damaged text": func(lines []string) string { return strings.Join(lines, "\x00\xff\n") },
	}
	for _, text := range []string{"null", "[]", "0", `""`, "{}", "1e999", strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)} {
		list[fmt.Sprintf("answers that are %.10s", text)] = body(text)
	}
	for _, n := range []any{-1, 0, 1 << 40, 1e300, "x", nil} {
		for _, field := range []string{"cases", "entries"} {
			list[fmt.Sprintf("%v %s", n, field)] = header(func(h map[string]any) { h[field] = n })
		}
	}
	for _, shard := range []string{"0/0", "1/1000000000000", "2/1", "-1/-1", "1/99999999999999999999999", "x\x1b[2J"} {
		list[fmt.Sprintf("shard %q", shard)] = header(func(h map[string]any) { h["shard"] = shard })
	}
	for _, kind := range []string{"eval/szz", "eval/crash", "eval/fix", "../x", "\x1b[2J", ""} {
		list[fmt.Sprintf("kind %q", kind)] = header(func(h map[string]any) { h["kind"] = kind })
	}
	return list
}

func TestHostileJournals(t *testing.T) {
	s := newStage(t)
	path := filepath.Join(string(s.home), "journal.jsonl")
	if got := s.run(t, command{dir: s.repo}, "szz", "--journal="+path, "HEAD~4.."); got.code > 1 {
		t.Fatal(got.stderr)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(good), "\n"), "\n")
	hostile := hostileJournals()
	names := make([]string, 0, len(hostile))
	for name := range hostile {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range sample(names, 8) {
		s.tryJournal(t, "journal with "+name, path, func() error { return os.WriteFile(path, []byte(hostile[name](lines)+"\n"), 0o600) })
	}
	secret := filepath.Join(string(s.home), "secret")
	if err := os.WriteFile(secret, []byte(secretText), 0o600); err != nil {
		t.Fatal(err)
	}
	s.tryJournal(t, "journal that is a pipe", path, func() error { return syscall.Mkfifo(path, 0o600) })
	s.tryJournal(t, "journal that is an endless device", path, func() error { return os.Symlink("/dev/zero", path) })
	s.tryJournal(t, "journal that is a directory", path, func() error { return os.Mkdir(path, 0o700) })
	s.tryJournal(t, "journal that links to a secret", path, func() error { return os.Symlink(secret, path) })
	if text, err := os.ReadFile(secret); err != nil || string(text) != secretText {
		broke(t, corruptions, "journal that links to a secret", "it became %.100q, %v", text, err)
	}
}

// tryJournal joins, joins in part and continues a journal.
func (s *stage) tryJournal(t *testing.T, vector, path string, put func() error) {
	t.Helper()
	for _, args := range [][]string{{"eval", "merge", path}, {"eval", "merge", "--partial", path}, {"szz", "--journal=" + path, "HEAD~4.."}} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		got := s.run(t, command{dir: s.repo, limit: 2 * time.Minute}, args...)
		text, why := got.stdout+got.stderr, ""
		switch {
		case got.late:
			why = "it does not end"
		case !slices.Contains(append(exitCodes, 4), got.code):
			why = "the exit code is in no manual"
		case strings.Contains(text, "panic:") || strings.Contains(text, "goroutine "):
			why = "it panics"
		case strings.Contains(text, secretText):
			why = "it shows a secret"
		case got.peak > 2*memoryBound:
			why = fmt.Sprintf("it took %d MiB", got.peak>>20)
		case rawControl(text) >= 0:
			why = fmt.Sprintf("a raw control: %.60q", text[rawControl(text):])
		}
		if why != "" {
			broke(t, corruptions, fmt.Sprintf("%s: %q", vector, args[:2]), "%s\nexit code %d after %s\n%.800s\n%.1500s", why, got.code, got.took, got.stdout, got.stderr)
			continue
		}
		held(corruptions)
	}
}

package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// bytesPerToken is the estimate of a token's size.
const bytesPerToken = 4

// minShare is the least size of a part of the text, in bytes; a smaller part is left out.
const minShare = 300

// Render writes the commits of a history for a prompt: each commit with its suspected lines and
// a section for each heuristic. kinds may be empty.
//
// The text has at most tokens tokens, at 4 bytes each, but each commit has its heading even
// beyond this limit. The first commits get more room than the later ones. The text mentions its
// omissions, and said has one clause for each. Hidden characters are escaped. The caller masks
// secrets.
func Render(ctx context.Context, repo *gitext.Repo, h *fix.History, kinds []fix.Heuristic, tokens int) (text string, said []string, err error) {
	if h == nil {
		return "", nil, nil
	}
	var blocks []block
	room := tokens * bytesPerToken
	for _, entries := range byCommit(h.Blamed) {
		head, err := commitHead(ctx, repo, entries)
		if err != nil {
			return "", nil, err
		}
		passages, err := passagesOf(ctx, repo, entries, kinds)
		if err != nil {
			return "", nil, err
		}
		room -= len(head) + 2
		blocks = append(blocks, block{head, passages, entries[0].Commit.OID.Short()})
	}
	var b strings.Builder
	for i, share := range allot(blocks, max(room, 0)) {
		b.WriteString(blocks[i].head)
		for j, s := range blocks[i].passages {
			if share[j] < min(minShare, s.size) {
				said = append(said, fmt.Sprintf("%s of %s: no room", s.kind, blocks[i].short))
				continue
			}
			w := s.write(share[j])
			b.WriteString("\n" + w.text + "\n")
			for _, cut := range w.said {
				said = append(said, fmt.Sprintf("%s of %s: %s", s.kind, blocks[i].short, cut))
			}
		}
		b.WriteString("\n")
	}
	for _, note := range h.Notes {
		b.WriteString("Note: " + agent.CleanLine(note) + "\n")
	}
	return strings.TrimRight(b.String(), "\n"), said, nil
}

// A block is the text of one commit.
type block struct {
	head     string
	passages []passage
	short    string
}

// A passage shows one heuristic.
type passage struct {
	kind  fix.Heuristic
	size  int // bytes of the complete passage
	write func(room int) written
	last  bool // the passage gets only the room that no other passage needs
}

// byCommit groups the entries of a history by their commits.
func byCommit(all []fix.Blamed) [][]fix.Blamed {
	var out [][]fix.Blamed
	for _, b := range all {
		i := slices.IndexFunc(out, func(g []fix.Blamed) bool { return g[0].Commit.OID == b.Commit.OID })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], b)
	}
	return out
}

// allot divides room among the passages of all blocks. Passages with last set get the room that
// the others leave.
func allot(blocks []block, room int) [][]int {
	share := make([][]int, len(blocks))
	var claims [2][]claim
	for i, b := range blocks {
		share[i] = make([]int, len(b.passages))
		for j, s := range b.passages {
			turn := 0
			if s.last {
				turn = 1
			}
			claims[turn] = append(claims[turn], claim{i, j, s.size})
		}
	}
	for _, open := range claims {
		divide(share, open, room)
		for _, c := range open {
			room -= share[c.block][c.passage]
		}
	}
	return share
}

// A claim is the requested size of a passage.
type claim struct{ block, passage, size int }

// divide divides room among claims. If the claims are too large, those of the first commit have
// twice the weight of the second commit's, three times that of the third commit's, and so on.
// Unused room goes to the other claims.
func divide(share [][]int, open []claim, room int) {
	for len(open) > 0 {
		total := 0.0
		for _, c := range open {
			total += 1 / float64(1+c.block)
		}
		var rest []claim
		spent := 0
		for _, c := range open {
			if part := int(float64(room) / total / float64(1+c.block)); c.size <= part {
				share[c.block][c.passage] = c.size
				spent += c.size
			} else {
				rest = append(rest, c)
			}
		}
		if len(rest) == len(open) {
			for _, c := range open {
				share[c.block][c.passage] = int(float64(room) / total / float64(1+c.block))
			}
			break
		}
		room, open = room-spent, rest
	}
}

package gitext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/gitext/gitcmd"
)

// Truncate writes a bare repository to dir, which must be empty or absent. The copy has only the
// commits reachable from tip with their objects, and one ref, refs/heads/main at tip. Objects
// missing in this clone are missing in the copy, too.
func (r *Repo) Truncate(ctx context.Context, tip OID, dir string) error {
	if err := tip.valid(); err != nil {
		return err
	}
	packs := filepath.Join(dir, "objects", "pack")
	for _, d := range []string{packs, filepath.Join(dir, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	call := gitcmd.Call{
		Args:  []string{"pack-objects", "--revs", "--missing=allow-any", "--delta-base-offset", "-q", filepath.Join(packs, "pack")},
		Stdin: bytes.NewReader([]byte(string(tip) + "\n")),
	}
	if _, err := r.shadow.Output(ctx, call); err != nil {
		return fmt.Errorf("copy the history of %s: %w", tip.Short(), r.explain(ctx, err))
	}
	config := "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n"
	if r.format != "sha1" {
		config = "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	}
	files := map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config, "refs/heads/main": string(tip) + "\n"}
	if r.shallow {
		files["shallow"] = string(shallowFile(r.boundary))
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

package gitext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// Truncate writes a bare repository to dir, which must be empty or absent. The copy has only the
// commits reachable from tip with their objects, and one ref, refs/heads/main at tip. Objects
// missing in this clone are missing in the copy, too.
func (r *Repo) Truncate(ctx context.Context, tip OID, dir string) error {
	if err := tip.valid(); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	packs := filepath.Join(dir, "objects", "pack")
	for _, d := range []string{packs, filepath.Join(dir, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	// git renames the pack from its object directory, which may be on another file system than dir.
	alternates := filepath.Join(dir, "objects", "info", "alternates")
	if err := os.MkdirAll(filepath.Dir(alternates), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(alternates, gitdir.Alternates(r.objects), 0o600); err != nil {
		return err
	}
	git := *r.shadow
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"))
	call := gitcmd.Call{
		Args:  []string{"pack-objects", "--revs", "--missing=allow-any", "--delta-base-offset", "-q", filepath.Join(packs, "pack")},
		Stdin: bytes.NewReader([]byte(string(tip) + "\n")),
	}
	if _, err := git.Output(ctx, call); err != nil {
		return fmt.Errorf("copy the history of %s: %w", tip.Short(), r.explain(ctx, err))
	}
	if err := os.Remove(alternates); err != nil {
		return err
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

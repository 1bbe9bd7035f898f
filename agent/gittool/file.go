package gittool

import (
	"context"
	"errors"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
)

// File is a file of the scope that a tool may show.
type File struct {
	Commit gitext.OID
	Path   string
	Text   []byte
	Note   string // the reading of an uncertain commit; "" if it was clear
}

// ReadFile reads a file of the tip that a model names, with any decoration. Like the tools, it
// refuses a path that does not exist, a binary file, and a file whose name suggests secrets, with
// a *CallError for the model.
func (s Scope) ReadFile(ctx context.Context, repo *gitext.Repo, tool, path string) (File, error) {
	b := &scopedRepo{repo: repo, scope: s}
	commit := ""
	oid, text, err := b.openFile(ctx, &commit, &path)
	if err != nil {
		return File{}, wordRefusal(tool, err)
	}
	return File{Commit: oid, Path: path, Text: text, Note: strings.Join(b.notes, "; ")}, nil
}

// FindFile returns the path of a file of the tip named by a model. A path that does not
// exist is a *CallError, which suggests similar ones.
func (s Scope) FindFile(ctx context.Context, repo *gitext.Repo, tool, path string) (string, error) {
	b := &scopedRepo{repo: repo, scope: s}
	found, err := b.locateFile(ctx, s.Tip, path)
	return found, wordRefusal(tool, err)
}

// wordRefusal turns a refusal into a *CallError, and returns every other error
// unchanged.
func wordRefusal(tool string, err error) error {
	var no *refusal
	if errors.As(err, &no) {
		return &agent.CallError{Tool: tool, Text: no.text, Fault: no.fault}
	}
	return err
}

// SimilarFiles returns the files of the tip whose names resemble a path that does not
// exist, the most likely first; none if no name is similar.
func (s Scope) SimilarFiles(ctx context.Context, repo *gitext.Repo, path string) ([]string, error) {
	b := &scopedRepo{repo: repo, scope: s}
	return b.similar(ctx, s.Tip, path), ctx.Err()
}

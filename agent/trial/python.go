package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
)

// pythonStores are the directories below the home directory that contain Python environments,
// as patterns: those of interpreters, of the user, and of poetry, pipenv, hatch, PDM and conda.
var pythonStores = strings.Fields(`
.pyenv/versions/* .local .cache/pypoetry/virtualenvs/* .local/share/virtualenvs/* .virtualenvs/*
.local/share/hatch/env/virtual/*/*/* .local/share/pdm/venvs/* miniconda3 miniconda3/envs/* anaconda3 anaconda3/envs/*
miniforge3 miniforge3/envs/* mambaforge mambaforge/envs/* .conda/envs/*`)

// pythonEnvironments lists the directories of the Python environments that a command may use:
// those of the work tree, of variables, of PATH and of package managers.
func (w *Workspace) pythonEnvironments() []string {
	list := slices.Concat(w.dependencyPaths(), w.opt.Readable)
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		list = append(list, os.Getenv(name))
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.Base(dir) == "bin" {
			list = append(list, filepath.Dir(dir))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, pattern := range pythonStores {
			found, _ := filepath.Glob(filepath.Join(disk.GlobQuote(home), filepath.FromSlash(pattern))) // the pattern is well formed
			list = append(list, found...)
		}
	}
	list = slices.DeleteFunc(list, func(env string) bool {
		return !filepath.IsAbs(env) || filepath.Base(env) == "node_modules"
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// sitePackages lists the directories with the installed packages of an environment.
func sitePackages(env string) []string {
	var list []string
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python2*/site-packages"} {
		found, _ := filepath.Glob(filepath.Join(disk.GlobQuote(env), filepath.FromSlash(pattern))) // the pattern is well formed
		list = append(list, found...)
	}
	return list
}

// Path returns the PATH of the commands: the programs of an active virtual environment come
// first.
func (w *Workspace) Path() string {
	for _, set := range w.active() {
		if path, ok := strings.CutPrefix(set, "PATH="); ok {
			return path
		}
	}
	return os.Getenv("PATH")
}

// Program returns the program that a command of the workspace starts by a name.
func (w *Workspace) Program(name string) (string, error) {
	for _, set := range w.active() {
		env, ok := strings.CutPrefix(set, "VIRTUAL_ENV=")
		if !ok {
			continue
		}
		program := filepath.Join(env, "bin", name)
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return program, nil
		}
	}
	program, err := sandbox.Program(name)
	if err != nil {
		return "", err
	}
	if program, err = filepath.Abs(program); err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return program, nil
}

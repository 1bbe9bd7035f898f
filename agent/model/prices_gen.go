//go:build ignore

// This program makes prices.txt from a checkout of models.dev (MIT licence):
//
//	git clone https://github.com/anomalyco/models.dev
//	go run prices_gen.go models.dev COMMIT > prices.txt
//
// COMMIT is only noted in the output. The program takes the models of the
// providers below that call tools and have a price. If a price rises with the
// length of the prompt, the lowest step counts.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var providers = strings.Fields(
	"openai azure anthropic google deepseek mistral xai moonshotai zai alibaba minimax groq cerebras togetherai fireworks-ai deepinfra openrouter",
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run prices_gen.go MODELS.DEV COMMIT > prices.txt")
		os.Exit(2)
	}
	fmt.Printf("# USD for a million tokens, from models.dev (MIT licence), commit %s.\n", os.Args[2])
	fmt.Println("# Made by prices_gen.go. A line with one word names a provider; the others are:")
	fmt.Println("# model, input, output, cache read, cache write (- for the input's price), window in tokens")
	for _, provider := range providers {
		if err := list(os.DirFS(os.Args[1]), provider); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func list(tree fs.FS, provider string) error {
	fmt.Println(provider)
	dir := "providers/" + provider + "/models"
	return fs.WalkDir(tree, dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		model, err := read(tree, path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, dir+"/"), ".toml")
		if model["tool_call"] == "true" && model["cost.input"] != "" && model["cost.output"] != "" && !strings.ContainsAny(name, " \t") {
			fmt.Println(
				strings.ToLower(name),
				model["cost.input"],
				model["cost.output"],
				or(model["cost.cache_read"], "-"),
				or(model["cost.cache_write"], "-"),
				or(model["limit.context"], "0"),
			)
		}
		return nil
	})
}

func or(v, otherwise string) string {
	if v == "" {
		return otherwise
	}
	return v
}

// read returns the fields of a file, with defaults from its base model. It reads
// only the subset of TOML that the files use for numbers.
func read(tree fs.FS, path string) (map[string]string, error) {
	data, err := fs.ReadFile(tree, path)
	if err != nil {
		return nil, err
	}
	fields, section := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[]") + "."
			if strings.HasPrefix(line, "[[") {
				section = "list." + section
			}
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if value = strings.Trim(strings.TrimSpace(value), `"`); ok && !strings.HasPrefix(line, "#") {
			fields[section+strings.TrimSpace(name)] = strings.ReplaceAll(value, "_", "")
			if section == "" && strings.TrimSpace(name) == "base_model" {
				fields["base_model"] = value
			}
		}
	}
	base := fields["base_model"]
	if base == "" {
		return fields, nil
	}
	under, err := read(tree, filepath.ToSlash("models/"+base+".toml"))
	if err != nil {
		return nil, err
	}
	for name, value := range under {
		if _, ok := fields[name]; !ok {
			fields[name] = value
		}
	}
	return fields, nil
}

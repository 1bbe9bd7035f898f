package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ReadLines reads files with one JSON value on each line, in order. An error names the unreadable
// file. It returns an error if there are no files.
func ReadLines[T any](paths ...string) ([]T, error) {
	if len(paths) == 0 {
		return nil, errors.New("name at least one file")
	}
	var list []T
	for _, path := range paths {
		if err := readInto(&list, path); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readInto adds the values of a file to a list.
func readInto[T any](list *[]T, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		*list = append(*list, v)
	}
	return nil
}

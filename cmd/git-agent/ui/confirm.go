package ui

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Confirm asks a yes-or-no question. Any answer but yes means no.
func Confirm(answers *bufio.Reader, w io.Writer, question string) bool {
	fmt.Fprintf(w, "%s [y/N] ", question)
	line, _ := answers.ReadString('\n') // the end of the input means no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

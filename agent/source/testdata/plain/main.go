// Command plain prints the names of chroma's lexers for the file names in its input, one a line. It
// does not postpone anything.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/alecthomas/chroma/v2/lexers"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		name := "none"
		if l := lexers.Match(lines.Text()); l != nil {
			name = l.Config().Name
		}
		fmt.Println(name)
	}
}

// Command git-agent is the program behind `git agent`. It answers questions about
// a repository's history. Each verb has a file of its own, or several that begin
// with its name. It parses its flags, builds a question, calls a package below
// agent/ and renders the result. The work of doctor and of cache is in packages
// below this one.
//
// The program prints the answer to standard output and everything else to
// standard error. Its exit codes are those of exit.go and of the manual page. It
// opens nothing before it needs it, and it writes nothing to a repository unless
// an option asks for that.
//
// This package decides no answer. Code that knows more about bugs than the
// options of a verb belongs to the packages below agent/.
package main

import (
	"context"
	"fmt"
	"os"

	"git-agent/agent/sandbox"
)

func main() {
	sandbox.Helper() // does not return if this process was started as the sandbox's helper
	// A command of --verify-cmd must not be able to read API keys from this process.
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(os.Stderr, "warning: other processes may read this one's environment: %v\n", err)
	}
	os.Exit(run(context.Background(), environ(os.LookupEnv), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

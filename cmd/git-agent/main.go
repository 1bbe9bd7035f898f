// Command git-agent is the program behind `git agent`: it answers questions
// about a repository's history. Each verb is one file that parses its flags,
// builds a typed request, calls one function of package agent/... and hands
// what comes back to a renderer.
//
// It promises: the answer is on stdout and everything else on stderr; exit
// codes are those of exit.go and of the manual page; nothing is opened before
// it is needed; nothing is written to a repository unless a flag asks for it.
//
// It does not decide answers: a verb that knows more about bugs than its
// flags is in the wrong package.
package main

import (
	"context"
	"fmt"
	"os"

	"git-agent/agent/sandbox"
)

func main() {
	sandbox.Helper() // this process may have been started to run a project's command
	// Commands of --verify-cmd must not read keys from this process.
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(os.Stderr, "warning: other processes may read this one's environment: %v\n", err)
	}
	os.Exit(run(context.Background(), environ(os.LookupEnv), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

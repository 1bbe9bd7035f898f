// Package testcmd guesses, changes and mends the commands that test a repository. It runs nothing.
//
// [Propose] guesses commands from the files of a tree, and [Narrow] restricts a guess to the test
// files that the user has just changed. [Focus] restricts a command to the failing tests, [Alone]
// to one test file, and [CompileOnly] to what it compiles. [CureOf] says how to provide what a
// command lacks, which package testrun reads from its output.
//
// A command is changed only if it is one invocation of a known tool; all parts of a result that
// come from a repository or from an output are quoted for the shell.
package testcmd

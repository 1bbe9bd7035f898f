// Package managed reads the reports of languages that print their own stacks: Python,
// Java and its relatives, Go, Rust, .NET, JavaScript, Ruby and PHP.
package managed

//go:build !unix

package gitext

// openAtOnce is nothing where no file is a pipe.
const openAtOnce = 0

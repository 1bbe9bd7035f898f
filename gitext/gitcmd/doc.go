// Package gitcmd starts git processes.
//
// A Runner starts git in one directory, with an environment and settings that
// make its answers independent of what is configured. Every process has its own
// process group and bounds on its time, memory and output. A context that ends
// interrupts git, and two seconds later kills it and its children. A CatFile
// asks one long-running cat-file for objects.
//
// A call that fails returns an *Error. A bound that ends a call is counted:
// CountUnread returns what a piece of work could not read.
//
// Nothing here knows a repository; package gitext decides what is asked in
// which directory. Only gitext and its rooms run git. Others need this package
// to examine an *Error, or to count what was unread.
package gitcmd

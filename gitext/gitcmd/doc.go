// Package gitcmd starts git processes.
//
// A Runner starts git in one directory, with an environment and settings that
// make its answers independent of any configuration. Every process has its own
// process group and bounds on its time, memory and output. A context that ends
// interrupts git, and two seconds later kills it and its children. A CatFile asks
// one long-running cat-file for objects.
//
// A call that fails returns an *Error. Calls that a bound ended are counted:
// CountUnread reports the unread parts for a piece of work.
//
// This package knows no repository; package gitext decides on commands and
// directories. Only gitext and its subpackages run git. Other packages use this
// one to examine an *Error, or to count unread parts.
package gitcmd

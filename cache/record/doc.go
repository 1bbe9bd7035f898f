// Package record has the types of what package cache stores: the keys of cached answers, and runs
// with their steps. It is apart from the store so that code which only names a key or a step is
// compiled and linked without SQLite.
package record

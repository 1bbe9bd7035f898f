// Package native reads the reports of native programs: sanitizers, debuggers,
// Valgrind, minidumps, Android, Apple, ClusterFuzz, glog, libc and assertions.
package native

// Package cache is the memory of git-agent: two SQLite files in one directory.
//
// cache.db holds answers that can be computed again, under keys that name everything
// which determines them. A [Cache] never fails its caller: on a read-only directory, a
// full disk, a damaged file or a file of a newer git-agent it says so once and misses.
// Every value carries a checksum bound to its key, so damage is a miss and never a wrong
// answer. The file may be deleted at any time.
//
// traces.db holds runs and their steps, which are the user's data. [Traces] therefore
// returns errors: a step is on the disk (synchronous=FULL) when Append returns nil, and
// a run can be continued at the step where its process died.
//
// A damaged traces.db is set aside when it is opened, what can be read of it is copied
// into a new one, and recording goes on. ImportTraces copies the runs of a file that may
// have come from a stranger.
//
// Both files are used by several processes at once, and kill -9 at any moment loses
// nothing that was acknowledged. After a loss of power the newest cache entries may be
// gone, steps are not. SQLite in WAL mode needs a local file system; package place finds a
// directory on one.
//
// What is in the files is believed: their directory is one that only their user can write
// to, which package place sees to. Against somebody who can run programs as the user
// nothing of this helps.
//
// Limits: a value has at most 1 GB, less what SQLite adds. The package knows no git.
package cache

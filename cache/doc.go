// Package cache stores the data of git-agent in two SQLite files in one
// directory.
//
// cache.db holds answers that can be computed again, under keys that name
// everything that determines them. A [Cache] never fails its caller: on a
// read-only directory, a full disk, a damaged file or a file of a newer
// git-agent it warns once and reports misses. Every value carries a checksum
// bound to its key, so damage causes a miss and never a wrong answer. The file
// may be deleted at any time.
//
// traces.db holds runs and their steps, which are the user's data. So [Traces]
// returns errors: when Append returns nil the step is on the disk
// (synchronous=FULL), and a run can be resumed at the step where its process
// died.
//
// A damaged traces.db is set aside when it is opened, what can be read of it is
// copied into a new file, and recording goes on. ImportTraces copies the runs
// of a file that may have come from a stranger.
//
// Several processes may use both files at once, and kill -9 at any moment loses
// nothing that was acknowledged. A power failure may lose the newest cache
// entries, but no steps. SQLite in WAL mode needs a local file system; package
// place finds a directory on one.
//
// The content of the files is trusted, because package place makes sure that
// only their user can write to the directory. Nothing here protects against
// somebody who can run programs as the user.
//
// Limits: a value has at most 1 GB, less what SQLite adds. The package knows
// nothing of git.
package cache

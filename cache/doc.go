// Package cache stores the data of git-agent in two SQLite files in one
// directory.
//
// cache.db has answers that can be computed again; their keys contain all inputs.
// A [Cache] never fails its caller: for a read-only directory, a full disk, a
// damaged file or a file of a newer git-agent, it warns once and reports misses.
// Every value carries a checksum bound to its key, so damage causes a miss and
// never a wrong answer. The file may be deleted at any time.
//
// traces.db has runs and their steps, which are the user's data. So [Traces]
// returns errors: after Append returns nil, the step is on the disk
// (synchronous=FULL), and a run can be resumed at the step where its process
// died.
//
// Opening a damaged traces.db sets it aside and copies its readable rows into a
// new file, and recording continues. ImportTraces copies the runs of an untrusted
// file.
//
// Several processes may use both files at once, and kill -9 at any moment loses
// no acknowledged data. A power failure may lose the newest cache entries, but no
// steps. SQLite in WAL mode needs a local file system; package place finds a
// directory on one.
//
// The content of the files is trusted, because package place makes sure that only
// their user can write to the directory. The package does not protect against
// programs that run as the user.
//
// Limits: a value has at most 1 GB, less SQLite's overhead. The package knows
// nothing of git.
package cache

// Package gitext is git as a typed library over the real git binary.
//
// Open a repository, turn the names a user typed into object ids with Resolve
// or ResolveRevisions, and ask everything else by object id:
//
//	repo, err := gitext.Open(ctx, gitext.OpenOptions{})
//	fix, err := repo.Resolve(ctx, "HEAD")
//	patch, err := repo.Patch(ctx, parent, fix, gitext.PatchOptions{Renames: true, Context: 3})
//	lines, err := repo.Blame(ctx, parent, "main.c", gitext.BlameOptions{})
//
// # Promises
//
// The answers are git's own: every one of them comes from git blame, log,
// grep, show, diff-tree or cat-file, and is the same whatever the user or the
// repository has configured. After names are resolved all reads go through a
// shadow git directory (see shadow.go): its configuration is ours, its objects
// are the repository's. Nothing that a repository configures is run by a read,
// and no read goes to the network. Replace refs, grafts and mailmaps are not
// applied, so that an object id always means the same bytes.
//
// Every git that answers a question about history is started in one place
// (run.go), with an allow-listed environment, pinned settings, a time-out, an
// output bound and its own process group. (The user's pager and settings of
// taste, in pager.go, are asked for as the user would.) A context that ends interrupts git, and kills it with its
// children two seconds later.
//
// Paths are bytes in strings, as git stores them, relative to the top of the
// tree with slashes. Paths in options are literal, never patterns.
//
// A Repo may be used from many goroutines.
//
// # Limits
//
// git 2.34 or newer (tried with 2.39.5 only; the object protocol for those
// before 2.36 is tried with that, too). A repository's path must not hold a
// line break. Objects are found through at most four steps of alternates, one
// less than git's five.
//
// .gitattributes of the repository are not looked at: what they hide as binary
// (-diff) is shown, and a driver that only they name is not used. There plain
// git show in a work tree differs.
//
// Where a clone lacks an object (partial or damaged), the operation that needs
// it answers with a *MissingObjectError; Patches and Stats go on with the next
// commit.
//
// PatchWorktree and PatchStaged read the user's own index and files from a git
// directory of ours (aside.go), in which no filter and no other program is
// defined. A file that only a filter of the user's can read is left out, and
// submodules are not looked into.
//
// A named pipe in the place of a file of the repository ends the call with its
// name after two seconds; one that a configuration includes, at the time-out.
package gitext

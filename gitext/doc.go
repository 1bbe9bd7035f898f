// Package gitext is git as a typed library over the real git binary.
//
// Open a repository, turn the names a user typed into object ids with Resolve or
// ResolveRevisions, and use object ids for everything else:
//
//	repo, err := gitext.Open(ctx, gitext.OpenOptions{})
//	fix, err := repo.Resolve(ctx, "HEAD")
//	patch, err := repo.Patch(ctx, parent, fix, gitext.PatchOptions{Renames: true, Context: 3})
//	lines, err := repo.Blame(ctx, parent, "main.c", gitext.BlameOptions{})
//
// # Promises
//
// Each answer comes from git blame, log, grep, show, diff-tree or cat-file, and
// does not depend on the configuration of the user or the repository. After names
// are resolved, all reads go through a shadow git directory (see shadow), with
// our own configuration and the repository's objects. No read runs a program that
// a repository configures, and none uses the network. Replace refs, grafts and
// mailmaps are not applied, so that an object id always means the same bytes.
//
// Every git process is started in one place (gitcmd), with a time-out, a memory
// bound, an output bound and its own process group. Processes for questions about
// history have an allow-listed environment and pinned settings. Only gitconfig
// and usercmd run git with the user's own environment and settings, to learn the
// user's preferences for output. A context that ends interrupts git, and two
// seconds later kills it and its children.
//
// Paths are bytes in strings, as git stores them: relative to the top of the
// tree, with slashes. Paths in options are literal, never patterns.
//
// A Repo is safe for concurrent use.
//
// # Rooms
//
// gitext builds on packages that do not import it: gitcmd starts git, gitdir
// examines git directories without git and makes the shadow directory, gitconfig
// reads values of the configuration, usercmd runs the user's pager and the
// command that prints a key, disk opens files that may be pipes, quote quotes
// paths and words for a shell, commitmsg splits messages, and pattern compiles
// regular expressions late.
//
// # Limits
//
// git 2.34 or newer is needed; CONTRIBUTING.md lists the tested versions. A repository's path must
// not contain a line break. Objects are found through at most four steps of
// alternates, one fewer than git's five.
//
// The repository's .gitattributes files are not read: files marked there as
// binary (-diff) are shown, and diff drivers named only there are not used. Plain
// git show in a work tree reads them.
//
// If a clone (partial or damaged) lacks an object, the operation fails with
// a *MissingObjectError; Patches and Stats continue with the next commit.
//
// PatchWorktree and PatchStaged read the user's own index and files through a
// temporary git directory (uncommitted_dir.go) that defines no filter or other
// program. A work tree that only the repository's own configuration names is
// refused (work_tree.go). A file that needs one of the user's filters is left out, and changes
// inside submodules are ignored.
//
// If a file of the repository is a named pipe, the call fails after two seconds
// with the pipe's name. If a configuration includes a named pipe, the call fails
// only at the time-out.
package gitext

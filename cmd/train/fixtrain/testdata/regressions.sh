#!/bin/sh
# Makes repositories with a regression as a user would make one: at a fix, one of its
# source changes is undone in a commit with a harmless message, and the commits that
# really followed the fix come on top. The tests of the fix then fail at HEAD.
#
#	sh regressions.sh MIRRORS OUT [NAME...]
#
# MIRRORS holds bare clones as owner+name/repo. In OUT/NAME each case is a clone; the
# commit to undo has the tag regression. regressions.txt lists the cases: name,
# repository, fix, source file, number of the hunk that is undone (0 is all), and how many
# of the following commits are put on top.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mirrors=$(cd "$1" && pwd) out=$2
shift 2
mkdir -p "$out"
cd "$out"
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com

# hunk prints the header of a patch of one file and one of its hunks.
hunk() {
	awk -v want="$1" '/^@@/ { n++ } n == 0 || want == 0 || n == want'
}

grep -v '^#' "$here/regressions.txt" | while read -r name repo fix file number later; do
	test $# -eq 0 || case " $* " in *" $name "*) ;; *) continue ;; esac
	rm -rf "$name"
	git clone -q --shared --no-checkout "$mirrors/$(echo "$repo" | tr / +)/repo" "$name"
	tip=$(git -C "$name" rev-parse HEAD)
	git -C "$name" checkout -q -B main "$fix"
	git -C "$name" diff -U0 "$fix" "$fix^" -- "$file" | hunk "$number" | git -C "$name" apply --unidiff-zero
	git -C "$name" commit -q -a -m "Tidy up $(basename "$file")"
	git -C "$name" tag regression
	git -C "$name" rev-list --reverse --no-merges --topo-order "$fix..$tip" | while read -r c; do
		test "$(git -C "$name" rev-list --count regression..HEAD)" -lt "$later" || break
		git -C "$name" cherry-pick "$c" >/dev/null 2>&1 || git -C "$name" cherry-pick --abort
	done
	echo "$name: $(git -C "$name" rev-list --count regression..HEAD) commits after the regression"
done

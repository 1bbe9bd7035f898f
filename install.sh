#!/bin/sh
# Installs git-agent from this checkout: the program, its manual pages, its
# shell completions and the licenses, below PREFIX (~/.local unless set).
#
#   ./install.sh                    install
#   PREFIX=/opt/git-agent ./install.sh
#   ./install.sh --uninstall        remove exactly what was installed
#
# Needs go and git, and no rights beyond those of PREFIX.

set -eu

# The floors: what go.mod asks for, and the oldest git that is tested.
go_floor=1.21
git_floor=2.34

say() { printf '%s\n' "$*"; }
die() {
	printf 'fatal: %s\n' "$1" >&2
	shift
	for hint; do
		printf 'hint: %s\n' "$hint" >&2
	done
	exit 128
}

usage() {
	say "usage: ./install.sh [--uninstall]"
	say ""
	say "PREFIX is where to install; it is $prefix."
}

# quoted WORD: the word as a shell reads it back, whatever is in it.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

# at_least A B: version A is not older than B. Only major and minor count.
at_least() {
	a_major=${1%%.*} b_major=${2%%.*}
	a_rest=${1#*.} b_rest=${2#*.}
	a_minor=${a_rest%%[!0-9]*} b_minor=${b_rest%%[!0-9]*}
	[ "$a_major" -gt "$b_major" ] || { [ "$a_major" -eq "$b_major" ] && [ "${a_minor:-0}" -ge "${b_minor:-0}" ]; }
}

check_tools() {
	command -v git >/dev/null || die "git is not installed"
	if ! command -v go >/dev/null; then
		for dir in /usr/local/go/bin "${HOME-}/go/bin" "${HOME-}/sdk/go/bin" /snap/bin /opt/homebrew/bin; do
			[ ! -x "$dir/go" ] || die "go is in $dir, which is not in PATH" "PATH=$(quoted "$dir"):\"\$PATH\" $(quoted "$0")"
		done
		die "go is not installed" "see https://go.dev/dl"
	fi
	git_version=$(git version | sed 's/^git version //; s/ .*//')
	at_least "$git_version" "$git_floor" || die "git $git_version is too old" "git $git_floor or newer is needed"
	go_version=$(go env GOVERSION | sed 's/^go//; s/ .*//')
	at_least "$go_version" "$go_floor" || die "go $go_version is too old" "go $go_floor or newer fetches the toolchain that go.mod names"
}

# check_target: files can be written below PREFIX. The build takes a minute, so that this
# comes first.
check_target() {
	for dir in bin share/man/man1 share/man/man7 share/doc/git-agent; do
		at=$prefix/$dir
		while [ ! -e "$at" ] && [ ! -L "$at" ] && [ -n "$at" ]; do
			at=${at%/*}
		done
		at=${at:-/}
		[ -d "$at" ] || die "$at is in the way: it is no directory" "PREFIX=DIRECTORY ./install.sh installs elsewhere"
		[ -w "$at" ] && [ -x "$at" ] || die "$at cannot be written by you" \
			"without PREFIX, everything is installed below ~/.local; PREFIX=DIRECTORY ./install.sh installs elsewhere"
	done
}

# files lists what belongs to an installation, below PREFIX.
files() {
	say bin/git-agent
	for page in "$source"/man/*.[17]; do
		say "share/man/man${page##*.}/${page##*/}"
	done
	say share/bash-completion/completions/git-agent
	say share/zsh/site-functions/_git-agent
	say share/fish/vendor_completions.d/git-agent.fish
	say share/fish/vendor_conf.d/git-agent.fish
	say share/doc/git-agent/LICENSE
	say share/doc/git-agent/notices.txt
}

# put SOURCE TARGET MODE: replaces the target in one step, so that a running
# program is never half overwritten.
put() {
	mkdir -p "${2%/*}"
	cp "$1" "$2.new"
	chmod "$3" "$2.new"
	mv -f "$2.new" "$2"
	say "installed $2"
}

build() {
	# A tag makes a release. Any other build says which commit it is of.
	stamp=$(git -C "$source" describe --exact-match --match 'v[0-9]*' --dirty=-dirty 2>/dev/null || :)
	case $stamp in
	'' | *-dirty) stamp=commit=$(git -C "$source" describe --match '' --always --abbrev=40 --dirty=.dirty 2>/dev/null || :) ;;
	*) stamp=version=${stamp#v} ;;
	esac
	(cd "$source" && CGO_ENABLED=0 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X git-agent/cmd/git-agent/app.$stamp" -o "$work/git-agent" ./cmd/git-agent) ||
		die "the program does not build"
	"$work/git-agent" --version >/dev/null || die "the program that was built does not run"
	for shell in bash zsh fish; do
		"$work/git-agent" completion "$shell" >"$work/$shell"
	done
}

install_all() {
	check_tools
	check_target
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	say "building with go $go_version for git $git_version"
	build
	put "$work/git-agent" "$prefix/bin/git-agent" 755
	for page in "$source"/man/*.[17]; do
		put "$page" "$prefix/share/man/man${page##*.}/${page##*/}" 644
	done
	put "$work/bash" "$prefix/share/bash-completion/completions/git-agent" 644
	put "$work/zsh" "$prefix/share/zsh/site-functions/_git-agent" 644
	put "$work/fish" "$prefix/share/fish/vendor_completions.d/git-agent.fish" 644
	# Because of a bug (fish-shell 9457), fish 3.6.0 does not do this by itself.
	say "complete -c git -f -n '__fish_git_using_command agent' -a '(__fish_git_complete_custom_command agent)'" >"$work/fish-conf"
	put "$work/fish-conf" "$prefix/share/fish/vendor_conf.d/git-agent.fish" 644
	put "$source/LICENSE" "$prefix/share/doc/git-agent/LICENSE" 644
	put "$source/cmd/git-agent/notices.txt" "$prefix/share/doc/git-agent/notices.txt" 644
	check_path
	check_zsh
}

# check_zsh names the line that zsh needs, unless its own directories hold the
# completion or the user's .zshrc names the directory.
check_zsh() {
	case ${SHELL-}:$prefix in
	*/zsh:/usr | */zsh:/usr/local) return ;;
	*/zsh:*) ;;
	*) return ;;
	esac
	rc=${ZDOTDIR:-$HOME}/.zshrc
	if ! grep -q share/zsh/site-functions "$rc" 2>/dev/null; then
		say "hint: for completion, put this line before compinit in $rc:"
		say "hint: fpath=($(quoted "$prefix/share/zsh/site-functions") \$fpath)"
	fi
}

check_path() {
	case ":$PATH:" in
	*":$prefix/bin:"* | *":$prefix/bin/:"*)
		say "try it in a repository: git agent szz HEAD"
		found=$(command -v git-agent || :)
		[ "$found" -ef "$prefix/bin/git-agent" ] || say "warning: $found comes first in PATH" >&2
		;;
	*)
		say "warning: $prefix/bin is not in PATH, so that git does not find it" >&2
		case $prefix in
		*:*) say "hint: choose a PREFIX without a colon, which parts the directories of PATH" >&2 ;;
		*) say "hint: export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" >&2 ;;
		esac
		;;
	esac
}

uninstall_all() {
	[ -e "$prefix/bin/git-agent" ] || say "git-agent is not installed below $prefix; PREFIX says where to look for it" >&2
	files | while read -r file; do
		if [ -e "$prefix/$file" ]; then
			rm -f "$prefix/$file"
			say "removed $prefix/$file"
		fi
	done
	rmdir "$prefix/share/doc/git-agent" 2>/dev/null || : # is ours alone
}

main() {
	prefix=${PREFIX:-${HOME:?neither PREFIX nor HOME is set}/.local}
	case $prefix in
	*[[:cntrl:]]*) die "PREFIX holds a control character" ;;
	/*) ;;
	*) prefix=$PWD/$prefix ;;
	esac
	while [ "$prefix" != "${prefix%/}" ]; do # PATH names it without a slash at the end
		prefix=${prefix%/}
	done
	source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
	case ${1-} in
	'') install_all ;;
	--uninstall) uninstall_all ;;
	-h | --help) usage ;;
	*)
		usage >&2
		exit 129
		;;
	esac
}

main "$@"

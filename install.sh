#!/bin/sh
# Installs git-agent below PREFIX (~/.local unless set): the program, its manual pages, its
# shell completions and the licenses. It builds the program of a checkout, or takes an archive of
# a release.
#
#   ./install.sh                    build and install; in an unpacked archive, install
#   ./install.sh git-agent_0.1.0_linux_amd64.tar.gz
#   PREFIX=/opt/git-agent ./install.sh
#   ./install.sh --uninstall        remove exactly what was installed
#
# A build needs go and git, an archive only git, and neither needs rights beyond those of PREFIX.

set -eu

# The floors: what go.mod asks for, and the oldest git that is tested.
go_floor=1.21
git_floor=2.34

# Measured with go 1.26: what a first build adds to the caches of go, and what an installation takes.
build_megabytes=350 module_megabytes=500 work_megabytes=150 installed_megabytes=40

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
	say "usage: ./install.sh [<archive>]"
	say "   or: ./install.sh --uninstall"
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

check_git() {
	command -v git >/dev/null || die "git is not installed"
	git_version=$(git version | sed 's/^git version //; s/ .*//')
	at_least "$git_version" "$git_floor" || die "git $git_version is too old" "git $git_floor or newer is needed"
}

check_go() {
	if ! command -v go >/dev/null; then
		for dir in /usr/local/go/bin "${HOME-}/go/bin" "${HOME-}/sdk/go/bin" /snap/bin /opt/homebrew/bin; do
			[ ! -x "$dir/go" ] || die "go is in $dir, which is not in PATH" "PATH=$(quoted "$dir"):\"\$PATH\" $(quoted "$0")"
		done
		die "go is not installed" "see https://go.dev/dl, or install an archive of a release: ./install.sh <archive>"
	fi
	go_version=$(go env GOVERSION | sed 's/^go//; s/ .*//')
	at_least "$go_version" "$go_floor" || die "go $go_version is too old" \
		"see https://go.dev/dl; go $go_floor or newer fetches the toolchain that go.mod names" \
		"or install an archive of a release, which needs no go: ./install.sh <archive>"
}

# existing PATH: the path, or the nearest directory above it that is there.
existing() {
	at=$1
	while [ ! -e "$at" ] && [ ! -L "$at" ] && [ -n "$at" ]; do
		case $at in
		*/*) at=${at%/*} ;;
		*) at=. ;; # a relative path
		esac
	done
	say "${at:-/}"
}

# check_space DIRECTORY MEGABYTES VARIABLE: there is room, or VARIABLE can name another place.
check_space() {
	free=$(df -Pk "$(existing "$1")" 2>/dev/null | awk 'NR == 2 {print int($4 / 1024)}')
	[ -z "$free" ] || [ "$free" -ge "$2" ] || die "$1 has $free MB of free space, and $2 MB are needed" \
		"$3=DIRECTORY ./install.sh uses another place"
}

# check_caches: the go command keeps what it compiled and downloaded for its next build, in its
# own caches. Without a home it has none; then they are temporary, and removed at the end.
check_caches() {
	build_cache=$(go env GOCACHE 2>/dev/null || :)
	module_cache=$(go env GOMODCACHE 2>/dev/null || :)
	case $build_cache in
	'' | off)
		build_cache=$work/build-cache module_cache=$work/modules
		export GOCACHE="$build_cache" GOMODCACHE="$module_cache" GOFLAGS="${GOFLAGS-} -modcacherw"
		check_space "${TMPDIR:-/tmp}" $((build_megabytes + module_megabytes + work_megabytes)) TMPDIR
		;;
	*) check_space "${TMPDIR:-/tmp}" "$work_megabytes" TMPDIR ;;
	esac
	[ -d "$build_cache/00" ] || check_space "$build_cache" "$build_megabytes" GOCACHE
	[ -d "$module_cache/modernc.org" ] || check_space "$module_cache" "$module_megabytes" GOMODCACHE
}

# announce says what is coming, before minutes of work.
announce() {
	say "building git-agent with go $go_version for git $git_version"
	say "a first build takes one to four minutes, a later one seconds"
	[ ! -d "$build_cache/00" ] || [ ! -d "$module_cache/modernc.org" ] || return 0
	say "105 MB are downloaded, and"
	case $build_cache in
	"$work"/*) say "$((build_megabytes + module_megabytes)) MB of disk are used below $work until the end" ;;
	*)
		say "$((build_megabytes + module_megabytes)) MB of disk are used in the caches of go, which the next build needs:"
		say "  $build_cache (go clean -cache removes it)"
		say "  $module_cache (go clean -modcache removes it)"
		;;
	esac
}

# check_target: files can be written below PREFIX. This comes before the build.
check_target() {
	for dir in bin share/man/man1 share/man/man7 share/doc/git-agent; do
		at=$(existing "$prefix/$dir")
		[ -d "$at" ] || die "$at is in the way: it is no directory" "PREFIX=DIRECTORY ./install.sh installs elsewhere"
		[ -w "$at" ] && [ -x "$at" ] || die "$at cannot be written by you" \
			"without PREFIX, everything is installed below ~/.local; PREFIX=DIRECTORY ./install.sh installs elsewhere"
	done
	[ ! -d "$prefix/bin/git-agent" ] || die "$prefix/bin/git-agent is in the way: it is a directory" "PREFIX=DIRECTORY ./install.sh installs elsewhere"
	check_space "$prefix" "$installed_megabytes" PREFIX
}

# check_runs PROGRAM MESSAGE: the program runs. Some systems let no program run in /tmp.
check_runs() {
	"$1" --version >/dev/null 2>&1 || die "$2" \
		"if no program may run in ${TMPDIR:-/tmp}, TMPDIR=DIRECTORY ./install.sh uses another place"
}

# unpacked: the source is an archive of a release, and not a checkout.
unpacked() { [ -f "$source/bin/git-agent" ] && [ ! -e "$source/go.mod" ]; }

# files lists what belongs to an installation, below PREFIX.
files() {
	if unpacked; then
		(cd "$source" && find bin share -type f | sort)
		return
	fi
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
	rm -f "$2.new" # it may be left over, or a link
	cp "$1" "$2.new"
	chmod "$3" "$2.new"
	mv -f "$2.new" "$2"
	say "installed $2"
}

# compile ARGUMENTS...: go build, which on a terminal shows how far it is.
compile() {
	if [ ! -t 2 ]; then
		go build "$@"
		return
	fi
	{ go build -v "$@" 2>&1 || say "failed"; } | {
		count=0 result=0
		while read -r line; do
			case $line in
			failed) result=1 ;;
			*' '* | '#'*) printf '\r\033[K%s\n' "$line" >&2 ;; # a download or an error
			*)
				count=$((count + 1))
				printf '\r\033[K%d packages compiled: %.50s' "$count" "$line" >&2
				;;
			esac
		done
		[ "$count" = 0 ] || printf '\r\033[K' >&2
		return "$result"
	}
}

# build makes below $work/tree what is installed below PREFIX.
build() {
	check_go
	check_caches
	announce
	began=$(date +%s)
	# A tag makes a release. Any other build says which commit it is of.
	stamp=
	[ ! -e "$source/.git" ] || stamp=$(git -C "$source" describe --tags --exact-match --match 'v[0-9]*' --dirty=-dirty 2>/dev/null || :)
	case $stamp in
	*-dirty | '') stamp=commit=$([ ! -e "$source/.git" ] || git -C "$source" describe --match '' --always --abbrev=40 --dirty=.dirty 2>/dev/null || :) ;;
	*) stamp=version=${stamp#v} ;;
	esac
	tree=$work/tree
	mkdir -p "$tree"
	(cd "$source" && CGO_ENABLED=0 compile -trimpath -buildvcs=false \
		-ldflags "-s -w -X git-agent/cmd/git-agent/app.$stamp" -o "$tree/bin/git-agent" ./cmd/git-agent) ||
		die "the program does not build; go says above why not" "a first build downloads modules; 'go env GOPROXY' says from where" \
			"without a network, install an archive of a release: ./install.sh <archive>"
	check_runs "$tree/bin/git-agent" "the program that was built does not run"
	say "built in $(($(date +%s) - began)) s"
	files | while read -r file; do
		mkdir -p "$tree/${file%/*}"
		case $file in
		bin/*) ;;
		*/man/*) cp "$source/man/${file##*/}" "$tree/$file" ;;
		*/bash-completion/*) "$tree/bin/git-agent" completion bash >"$tree/$file" ;;
		*/zsh/*) "$tree/bin/git-agent" completion zsh >"$tree/$file" ;;
		*/vendor_completions.d/*) "$tree/bin/git-agent" completion fish >"$tree/$file" ;;
		# Because of a bug (fish-shell 9457), fish 3.6.0 does not do this by itself.
		*/vendor_conf.d/*) say "complete -c git -f -n '__fish_git_using_command agent' -a '(__fish_git_complete_custom_command agent)'" >"$tree/$file" ;;
		*/LICENSE) cp "$source/LICENSE" "$tree/$file" ;;
		*/notices.txt) cp "$source/cmd/git-agent/notices.txt" "$tree/$file" ;;
		esac
	done
}

# unpack ARCHIVE: an archive of a release becomes the source.
unpack() {
	[ -f "$1" ] || die "there is no file $1"
	check_sum "$1"
	mkdir "$work/unpacked"
	# Standard input, because tar would take a: in a name for another machine.
	tar -xzf - -C "$work/unpacked" <"$1" 2>/dev/null || die "$1 is no archive of a release for this system" \
		"its name ends with _$(uname -s | tr '[:upper:]' '[:lower:]')_<processor>.tar.gz"
	source=$(find "$work/unpacked" -mindepth 1 -maxdepth 1 -type d)
	unpacked && [ -d "$source/share/man/man1" ] || die "$1 is no archive of a release of git-agent"
}

# check_sum ARCHIVE: the archive is the one in the checksums.txt beside it, if that is there.
check_sum() {
	case $1 in
	*/*) beside=${1%/*}/checksums.txt ;;
	*) beside=checksums.txt ;;
	esac
	[ -f "$beside" ] || return 0
	want=$(awk -v name="${1##*/}" '$2 == name || $2 == "*" name {print $1}' "$beside")
	have=$({ sha256sum "$1" || shasum -a 256 "$1"; } 2>/dev/null | sed 's/^\\//; s/ .*//')
	[ -n "$have" ] || { say "warning: not compared with $beside, for there is no sha256sum" >&2 && return 0; }
	[ "$want" = "$have" ] || die "$1 is not the file that $beside names" "download both again"
	say "compared with $beside"
}

install_all() {
	check_git
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	[ -z "$1" ] || unpack "$1"
	check_target
	if unpacked; then
		tree=$source
		check_runs "$tree/bin/git-agent" "the program does not run on this system, which is $(uname -s) on $(uname -m)"
		say "installing $("$tree/bin/git-agent" --version) below $prefix"
	else
		build
	fi
	(cd "$tree" && find bin share -type f | sort) | while read -r file; do
		case $file in
		bin/*) put "$tree/$file" "$prefix/$file" 755 ;;
		*) put "$tree/$file" "$prefix/$file" 644 ;;
		esac
	done
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
		*)
			say "hint: put this line into the file that your shell reads when it starts, such as ~/.profile:" >&2
			say "hint: export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" >&2
			;;
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
	'') install_all '' ;;
	--uninstall) uninstall_all ;;
	-h | --help) usage ;;
	[!-]*) install_all "$1" ;;
	*)
		usage >&2
		exit 129
		;;
	esac
}

main "$@"

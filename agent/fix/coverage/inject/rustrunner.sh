# Cargo starts the programs with tests through this program, which notes them and their
# environment, and runs none. A list of their tests is passed on to whoever asks for it.
for arg in "$@"; do
	case $arg in
	--list) exec "$@" ;;
	esac
done
dir=@DIR@/program-$$
mkdir -p "$dir" || exit 0
pwd >"$dir/cwd"
export -p >"$dir/env"
printf '%s\0' "$@" >"$dir/args"
timeout 10 "$1" --list --format terse >"$dir/list" 2>/dev/null </dev/null
exit 0

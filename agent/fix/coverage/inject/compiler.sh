# This program stands before a compiler of C or C++. It compiles with coverage, without
# optimisation because that takes lines away, and links
# the object of process.c into each program and library.
link=yes input=
for arg in "$@"; do
	case $arg in
	-c|-S|-E|-M|-MM|-fsyntax-only|-r|-nostdlib|-static-pie|-v|-V|-qversion|--version|--help|-dump*|-print-*|--print-*|-\#\#\#) link= ;;
	-*) ;;
	*) input=yes ;;
	esac
done
if test -n "$link" && test -n "$input"; then
	exec @REAL@ "$@" --coverage -O0 -Wno-error -x none @DIR@/process.o
fi
exec @REAL@ "$@" --coverage -O0 -Wno-error

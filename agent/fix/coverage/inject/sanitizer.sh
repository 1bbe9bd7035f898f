# This program stands before a compiler of C or C++. It compiles and links with
# AddressSanitizer, whose report of a crash has the lines of the stack.
exec @REAL@ "$@" -g -fno-omit-frame-pointer -fsanitize=address -Wno-error

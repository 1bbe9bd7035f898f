// Package address names the frames of a report that have only an address: the name of a binary and
// an offset in it, as coredumpctl and sanitizers print where they find no symbols.
//
// The functions, files and lines come from the symbols and the DWARF of a file on this machine that
// is the binary of the report. It is that binary if it has the build id of the report, or if the
// user says so ([Namer.Program]). A file of the same name alone proves nothing: the addresses of
// another version are those of other functions.
//
// Files are looked for at the path in the report, in the cache of debuginfod's clients, and in the
// system's folder of debugging information. A server of debuginfod is asked only if
// [Namer.Ask] is set, because the build ids then leave the machine. A binary is read and never run.
//
// Whoever wrote a report chooses which files are read, and may have written them, too. So a worker of
// limited time and, on Linux, of limited memory reads them ([Helper]).
package address

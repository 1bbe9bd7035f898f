// Package postpone keeps chroma from parsing the definitions of all its languages whenever a
// program starts, which takes more time than all else that git-agent does at its start (DESIGN,
// decision 38).
//
// The package of chroma's lexers registers a lexer for every definition that it embeds when it is
// initialized, and offers no other way. Go initializes packages in the order of their import paths,
// after the packages that they import. So this package, which imports nothing of chroma, comes
// before, and takes from chroma's list of embedded files all definitions but those that chroma's
// own code names. [Definitions] returns the complete list.
//
// If chroma's list no longer has the expected form, this package leaves it alone: then starting
// takes longer, and nothing else changes.
package postpone

import (
	"embed"
	"reflect"
	"unsafe"
)

// embedded is chroma's list. Its package must be linked too, or the list is empty.
//
//go:linkname embedded github.com/alecthomas/chroma/v2/lexers.embedded
var embedded embed.FS

// folder is the name of the folder that holds chroma's definitions.
const folder = "embedded/"

// named holds the definitions that chroma's code opens or looks up when it is initialized.
var named = map[string]bool{
	folder:                      true,
	folder + "common_lisp.xml":  true,
	folder + "django_jinja.xml": true,
	folder + "dns.xml":          true,
	folder + "emacslisp.xml":    true,
	folder + "erb.xml":          true,
	folder + "go_template.xml":  true,
	folder + "html.xml":         true,
	folder + "mysql.xml":        true,
	folder + "yaml.xml":         true,
	folder + "zed.xml":          true,
}

var complete = takeAway()

// Definitions returns the files with all of chroma's definitions, in the folder "embedded".
func Definitions() embed.FS { return complete }

// A file is an entry of an embed.FS, which is a pointer to a sorted slice of them: a name, the
// content, and a hash.
type file struct {
	name string
	_    string
	_    [16]byte
}

// takeAway leaves only the named definitions in chroma's list. It returns the complete list.
func takeAway() embed.FS {
	all := embedded
	if !asExpected(reflect.TypeFor[embed.FS]()) {
		return all
	}
	list := *(**[]file)(unsafe.Pointer(&all))
	if list == nil {
		return all
	}
	var kept []file
	for i, f := range *list {
		if named[f.name] {
			kept = append(kept, (*list)[i:i+1]...) // an assignment need not copy the fields without a name
		}
	}
	if len(kept) == len(named) {
		*(**[]file)(unsafe.Pointer(&embedded)) = &kept
	}
	return all
}

// asExpected reports whether the type embed.FS is a pointer to a slice of values like file.
func asExpected(fs reflect.Type) bool {
	if fs.NumField() != 1 {
		return false
	}
	list := fs.Field(0).Type
	if list.Kind() != reflect.Pointer || list.Elem().Kind() != reflect.Slice {
		return false
	}
	have, want := list.Elem().Elem(), reflect.TypeFor[file]()
	if have.Kind() != reflect.Struct || have.NumField() != want.NumField() || have.Size() != want.Size() {
		return false
	}
	for i := range want.NumField() {
		if have.Field(i).Type != want.Field(i).Type {
			return false
		}
	}
	return have.Field(0).Name == "name"
}

package generate

import (
	"bytes"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"

	"git-agent/gitext/disk"
)

// maxExport bounds the export data of a package, in bytes.
const maxExport = 64 << 20

// newImporter returns an importer for packages with export data. files maps import paths to files
// of export data, as go list -export names them. Other packages cannot be imported; go/types
// reports no errors about their names.
func newImporter(set *token.FileSet, files map[string]string) types.Importer {
	i := &imports{files: files}
	i.reader = importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		data, err := disk.ReadRegular(files[path], maxExport)
		return io.NopCloser(bytes.NewReader(data)), err
	})
	return i
}

type imports struct {
	files  map[string]string
	reader types.Importer
}

var errNotRead = errors.New("the package is not read")

// Import is for types.Importer.
func (i *imports) Import(path string) (pkg *types.Package, err error) {
	if i.files[path] == "" && path != "unsafe" {
		return nil, errNotRead
	}
	defer func() {
		if recover() != nil {
			pkg, err = nil, errNotRead
		}
	}()
	return i.reader.Import(path)
}

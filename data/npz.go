package data

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/tensor"
)

// LoadNPZ reads the arrays of a .npz file, a ZIP archive of .npy files, compressed or not, by their names without ".npy". See
// [tensor.ReadNPY] for what an array may be; tensor.LoadNPY reads a file of one. Errors: it is not such a file; two arrays
// have one name. Source: NumPy reference, savez and numpy.lib.format.
func LoadNPZ(path string) (map[string]*tensor.Tensor, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", path, err)
	}
	defer z.Close()
	all := map[string]*tensor.Tensor{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("data: %s: %q is not an array", path, f.Name)
		}
		if all[name] != nil {
			return nil, fmt.Errorf("data: %s: the array %q is there twice", path, name)
		}
		if all[name], err = readEntry(f); err != nil {
			return nil, fmt.Errorf("data: %s: array %q: %w", path, name, err)
		}
	}
	return all, nil
}

func readEntry(f *zip.File) (*tensor.Tensor, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	t, err := tensor.ReadNPY(bufio.NewReader(r))
	if err == nil {
		_, err = io.Copy(io.Discard, r) // the checksum is compared at the end
	}
	return t, errors.Join(err, r.Close())
}

// SaveNPZ writes arrays to a .npz file, as numpy.savez does, or savez_compressed with compress. It replaces path when the file is whole.
// Errors: a nil tensor; the file cannot be written.
func SaveNPZ(path string, arrays map[string]*tensor.Tensor, compress bool) error {
	method := zip.Store
	if compress {
		method = zip.Deflate
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, name := range slices.Sorted(maps.Keys(arrays)) {
			if arrays[name] == nil {
				return fmt.Errorf("array %q is nil", name)
			}
			e, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
			if err != nil {
				return err
			}
			if err := tensor.WriteNPY(e, arrays[name]); err != nil {
				return err
			}
		}
		return z.Close()
	}, nil)
	if err != nil {
		return fmt.Errorf("data: save %s: %w", path, err)
	}
	return nil
}

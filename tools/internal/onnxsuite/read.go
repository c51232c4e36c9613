package onnxsuite

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Case is a model with data for it.
type Case struct {
	Name  string // its folder
	Model []byte
	Sets  []Set
}

// Set are inputs of a model, and the outputs that it must give, as files.
type Set struct{ Inputs, Outputs [][]byte }

// Read reads the cases of a folder, or of a .tar.gz of one: folders with a model.onnx, and folders test_data_set_N below with
// input_N.pb and output_N.pb.
func Read(name string) ([]*Case, error) {
	files, err := readAll(name)
	if err != nil {
		return nil, fmt.Errorf("onnxsuite: %s: %w", name, err)
	}
	var cases []*Case
	for file, b := range files {
		if path.Base(file) != "model.onnx" {
			continue
		}
		c := &Case{Name: path.Dir(file), Model: b}
		for i := 0; ; i++ {
			dir := fmt.Sprintf("%s/test_data_set_%d/", c.Name, i)
			s := Set{Inputs: list(files, dir+"input"), Outputs: list(files, dir+"output")}
			if len(s.Outputs) == 0 {
				break
			}
			c.Sets = append(c.Sets, s)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("onnxsuite: %s: there is no model.onnx in it", name)
	}
	slices.SortFunc(cases, func(a, b *Case) int { return strings.Compare(a.Name, b.Name) })
	return cases, nil
}

func list(files map[string][]byte, prefix string) (all [][]byte) {
	for i := 0; ; i++ {
		b, ok := files[fmt.Sprintf("%s_%d.pb", prefix, i)]
		if !ok {
			return all
		}
		all = append(all, b)
	}
}

func readAll(name string) (map[string][]byte, error) {
	files := map[string][]byte{}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return files, filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			rel, _ := filepath.Rel(name, p)
			files[filepath.ToSlash(rel)] = b
			return err
		})
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[path.Clean(h.Name)] = b
	}
}

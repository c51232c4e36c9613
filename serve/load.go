package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
)

// LoadOptions say how an ONNX model is loaded.
type LoadOptions struct {
	ModelOptions
	// Runtime runs the model. The server does not close it.
	Runtime *ops.Runtime
	// ONNX are the options by which it is compiled.
	ONNX onnx.Options
	// OpenBatch serves a model that was exported for a batch of one in batches, if its rows prove to be independent. See onnx.Model.OpenBatch.
	OpenBatch bool
}

// source is where a model comes from.
type source struct {
	path   string
	o      LoadOptions
	loaded string // the state of the files that is served
	failed string // that which could not be loaded
	seen   string // that of the last look
}

// Load serves the ONNX model at a path, which is a file, or a folder with model.onnx, or with folders whose names are the numbers of
// versions and that have model.onnx; of these the highest is served. [Server.Watch] loads it again when its files change. Errors: those
// of onnx.Load, of compiling and of [Server.Add].
func (s *Server) Load(ctx context.Context, name, path string, o LoadOptions) error {
	return s.load(ctx, name, &source{path: path, o: o})
}

// load serves what is at a source now, from which it is watched from then on.
func (s *Server) load(ctx context.Context, name string, src *source) error {
	file, version, err := modelFile(src.path)
	if err != nil {
		return fmt.Errorf("serve: %q: %w", name, err)
	}
	if src.loaded, err = stateOf(src.path); err != nil {
		return fmt.Errorf("serve: %q: %w", name, err)
	}
	start := time.Now()
	m, err := onnx.Load(file)
	if err != nil {
		return err
	}
	if src.o.OpenBatch {
		switch done, err := s.addOpened(ctx, name, version, m, src); {
		case done || ctx.Err() != nil:
			return err
		case err != nil:
			s.o.Log.Warn("batch not opened", "model", name, "why", err)
		}
	}
	p, err := m.Compile(ctx, src.o.Runtime, &src.o.ONNX)
	if err != nil {
		return err
	}
	if err := s.add(ctx, name, version, p, src.o.ModelOptions, src); err != nil {
		return err
	}
	s.o.Log.Info("model loaded", "model", name, "version", version, "file", file, "took", time.Since(start))
	return nil
}

// addOpened serves the model with its batch opened, unless its rows depend on each other.
func (s *Server) addOpened(ctx context.Context, name, version string, m *onnx.Model, src *source) (done bool, err error) {
	opened, err := m.OpenBatch()
	if err != nil {
		return false, err
	}
	p, err := opened.Compile(ctx, src.o.Runtime, &src.o.ONNX)
	if err != nil {
		return false, err
	}
	v, err := newVersion(ctx, s, name, version, p, src.o.ModelOptions)
	if err != nil {
		return false, errors.Join(err, p.Close())
	}
	if v.alone != "" {
		return false, errors.Join(errors.New(v.alone), v.release())
	}
	return true, s.serve(v, src)
}

// modelFile is the file at a path, and its version.
func modelFile(path string) (file, version string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return path, "1", nil
	}
	const name = "model.onnx"
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", "", err
	}
	best := 0
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > best && strconv.Itoa(n) == e.Name() {
			if info, err := os.Stat(filepath.Join(path, e.Name(), name)); err == nil && info.Mode().IsRegular() {
				best = n
			}
		}
	}
	if best > 0 {
		version = strconv.Itoa(best)
		return filepath.Join(path, version, name), version, nil
	}
	file = filepath.Join(path, name)
	if _, err := os.Stat(file); err != nil {
		return "", "", fmt.Errorf("there is no %s in %s, and no folder 1, 2, ... with one", name, path)
	}
	return file, "1", nil
}

// stateOf tells the present files at a path from others: their names, sizes and times. Folders that links in it name belong to it, as those
// of versions may be.
func stateOf(path string) (string, error) {
	w := &fileStates{root: path}
	err := w.add(path, true)
	return w.text.String(), err
}

// fileStates puts together the state of files.
type fileStates struct {
	root  string
	files int
	text  strings.Builder
}

// add adds the files at a path; links is whether it follows links to folders in it, which those folders' own links are not.
func (w *fileStates) add(path string, links bool) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if w.files++; w.files > 10_000 {
			return fmt.Errorf("%s has more than 10,000 files", w.root)
		}
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return err
		case info.IsDir() && d.Type()&fs.ModeSymlink != 0 && links:
			return w.add(file, false)
		case info.IsDir():
			return nil
		}
		fmt.Fprintf(&w.text, "%q %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		return nil
	})
}

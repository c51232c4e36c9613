package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/tensor"
)

// Index is a model that is spread over several files, which a JSON file lists:
//
//	{"metadata": {"total_size": 48}, "weight_map": {"fc.weight": "model-00001-of-00002.safetensors", ...}}
//
// It is safe for concurrent use.
type Index struct {
	path  string
	where map[string]string

	mu    sync.Mutex
	files map[string]*File // nil when it was closed
}

// indexFile is the JSON of an index.
type indexFile struct {
	Metadata map[string]any    `json:"metadata"`
	Where    map[string]string `json:"weight_map"`
}

// OpenIndex opens an index, model.safetensors.index.json for the most part. Its files are opened when a tensor of theirs
// is asked for. Close it when done. Errors: it cannot be read; it is not such JSON, or names a file that is not beside it (is [ErrFormat]).
func OpenIndex(path string) (*Index, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	var f indexFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w: %w", path, ErrFormat, err)
	}
	if f.Where == nil {
		return nil, fmt.Errorf("safetensors: %s: %w: there is no weight_map", path, ErrFormat)
	}
	for name, file := range f.Where {
		if file == "" || file != filepath.Base(file) || strings.ContainsAny(file, `/\`) || file == ".." {
			return nil, fmt.Errorf("safetensors: %s: %w: tensor %q is said to be in %q, which is no file beside it", path, ErrFormat, name, file)
		}
	}
	return &Index{path: path, where: f.Where, files: map[string]*File{}}, nil
}

// Names are the names of all tensors, sorted.
func (x *Index) Names() []string { return slices.Sorted(maps.Keys(x.where)) }

// Info is what the header of a tensor's file says about it, and whether there is one of that name in a file that can be read, which none
// can after Close.
func (x *Index) Info(name string) (Info, bool) {
	f, err := x.file(name)
	if err != nil {
		return Info{}, false
	}
	return f.Info(name)
}

// Tensor reads one tensor. Errors: as [Open] and [File.Tensor].
func (x *Index) Tensor(name string) (*tensor.Tensor, error) {
	f, err := x.file(name)
	if err != nil {
		return nil, err
	}
	return f.Tensor(name)
}

// file is the open file in which a tensor is.
func (x *Index) file(name string) (*File, error) {
	base, ok := x.where[name]
	if !ok {
		return nil, fmt.Errorf("safetensors: %s: there is no tensor %q among %d", x.path, name, len(x.where))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.files == nil {
		return nil, fmt.Errorf("safetensors: %s: tensor %q: %w", x.path, name, os.ErrClosed)
	}
	if f := x.files[base]; f != nil {
		return f, nil
	}
	f, err := Open(filepath.Join(filepath.Dir(x.path), base))
	if err != nil {
		return nil, err
	}
	x.files[base] = f
	return f, nil
}

// Close closes all files. After it no tensor can be read.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var errs []error
	for _, f := range x.files {
		errs = append(errs, f.Close())
	}
	x.files = nil
	return errors.Join(errs...)
}

// SaveSharded writes tensors to files of at most shardBytes bytes of data each, or one tensor if it is larger, by the names
//
//	model-00001-of-00003.safetensors
//
// in dir, and then the index model.safetensors.index.json. Each file replaces what was there as a whole. Errors: as [Save].
func SaveSharded(dir string, tensors map[string]*tensor.Tensor, metadata map[string]string, shardBytes int64) error {
	var shards []map[string]*tensor.Tensor
	var size, total int64
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if tensors[name] == nil {
			return fmt.Errorf("safetensors: write: tensor %q is nil", name)
		}
		n := int64(tensors[name].NumBytes())
		if len(shards) == 0 || size+n > shardBytes {
			shards, size = append(shards, map[string]*tensor.Tensor{}), 0
		}
		shards[len(shards)-1][name] = tensors[name]
		size += n
		total += n
	}
	index := indexFile{Metadata: map[string]any{"total_size": total}, Where: map[string]string{}}
	for i, shard := range shards {
		base := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(shards))
		if err := Save(filepath.Join(dir, base), shard, metadata); err != nil {
			return err
		}
		for name := range shard {
			index.Where[name] = base
		}
	}
	path := filepath.Join(dir, "model.safetensors.index.json")
	err := wholefile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(index)
	}, nil)
	if err != nil {
		return fmt.Errorf("safetensors: save %s: %w", path, err)
	}
	return nil
}

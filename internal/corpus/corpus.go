// Package corpus gathers the programs that devices which the machine lacks would run.
//
// Programs are drafted for classes of devices (draft.Classes), from graphs that a [Planner] is given as an
// engine, and gathered in a [Corpus]. Nothing is compiled: compilers of vendors read the saved programs.
package corpus

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/ocl/draft"
)

// Env is the variable that names the folder which corpora are written to and read from. Tests that draft
// programs add theirs; where it is empty nothing is written.
const Env = "ANYCL_CORPUS"

// Corpus is the programs of one class of devices, each once. It is safe for concurrent use.
type Corpus struct {
	Class *draft.Class

	mu  sync.Mutex
	all map[text]*draft.Draft
}

// text is what Print is of. Most drafts come again and again, and a map hashes far faster than Print does.
type text struct{ options, head, body, library string }

func textOf(d *draft.Draft) text {
	return text{d.Options, d.Head, d.Body, strings.Join(d.Library, "\n")}
}

// New has no programs yet.
func New(c *draft.Class) *Corpus { return &Corpus{Class: c, all: map[text]*draft.Draft{}} }

// Add takes drafts, of which some may be known.
func (c *Corpus) Add(drafts ...*draft.Draft) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range drafts {
		of := textOf(d)
		if known := c.all[of]; known != nil {
			known.Merge(d)
			continue
		}
		whole := *d
		c.all[of] = &whole
	}
}

// Len is how many programs there are.
func (c *Corpus) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// Drafts are the programs in an order that does not depend on how they came.
func (c *Corpus) Drafts() []*draft.Draft {
	c.mu.Lock()
	defer c.mu.Unlock()
	by := make(map[string]*draft.Draft, len(c.all))
	for _, d := range c.all {
		by[d.Print()] = d
	}
	var all []*draft.Draft
	for _, print := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[print])
	}
	return all
}

// Save writes c to folder/CLASS/name.json.gz, where other parts of the corpus of a class lie beside it.
// It does nothing where folder is empty.
func (c *Corpus) Save(folder, name string) (err error) {
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, c.Class.Name, name+ending)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed) // the same kernel files over and over
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(z).Encode(c.Drafts()), z.Close())
}

const ending = ".json.gz"

// Load reads the parts of a class's corpus together. Errors: the folder has none.
func Load(folder string, class *draft.Class) (*Corpus, error) {
	c := New(class)
	files, err := filepath.Glob(filepath.Join(folder, class.Name, "*"+ending))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, &fs.PathError{Op: "read corpus", Path: filepath.Join(folder, class.Name), Err: fs.ErrNotExist})
	}
	for _, f := range files {
		part, err := loadPart(f)
		if err != nil {
			return nil, &fs.PathError{Op: "read corpus", Path: f, Err: err}
		}
		c.Add(part...)
	}
	return c, nil
}

func loadPart(path string) (part []*draft.Draft, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return part, json.NewDecoder(z).Decode(&part)
}

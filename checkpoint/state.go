package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// State says what a checkpoint consists of.
type State struct {
	// Graph is the graph whose variables are saved, all of them.
	Graph *ops.Graph
	// Random are the generators of random numbers, under names of the program's choice.
	Random map[string]Random
	// Extra is everything else, under names of the program's choice: for saving, what package json can write; for restoring,
	// pointers to what it can read into.
	Extra map[string]any
}

// Random is a generator of random numbers: an [ops.Executable] or [ops.DataParallel].
type Random interface {
	RandomState() ops.RandomState
	SetRandomState(ops.RandomState) error
}

// ErrMismatch is the error of a checkpoint that is of another training than the state it is to be restored to.
var ErrMismatch = errors.New("the checkpoint does not fit")

// ErrDamaged is the error of a file that is no checkpoint, is cut off, or holds other bytes than were written.
var ErrDamaged = errors.New("the checkpoint is damaged")

const (
	version     = "1"
	keyVersion  = "anycl.checkpoint"
	keyChecksum = "anycl.crc32c"
	keyTexts    = "anycl.crc32c.metadata" // files of earlier versions of this package have none
	keyRandom   = "anycl.random"
	keyExtra    = "anycl.extra."
)

// Variables yields the variables of g with the names that a checkpoint gives them, in the order in which they were made.
func Variables(g *ops.Graph) iter.Seq2[string, *ops.Node] {
	return func(yield func(string, *ops.Node) bool) {
		times, taken := map[string]int{}, map[string]bool{}
		for n := range g.Nodes() {
			if !ops.IsVariable(n) {
				continue
			}
			name := n.Name()
			for taken[name] {
				times[n.Name()]++
				name = fmt.Sprintf("%s#%d", n.Name(), times[n.Name()]+1)
			}
			taken[name] = true
			if !yield(name, n) {
				return
			}
		}
	}
}

// Save writes a checkpoint to path, between two steps. Errors: a variable cannot be read, or is complex128, which the format does not
// have; an Extra is nothing that JSON can hold, as a NaN; the file cannot be written, after which path is as it was.
func Save(ctx context.Context, path string, s *State) error { return save(ctx, path, s, nil) }

func save(ctx context.Context, path string, s *State, o *wholefile.Options) error {
	fail := func(err error) error { return fmt.Errorf("checkpoint: save %s: %w", path, err) }
	if s.Graph == nil {
		return fail(errors.New("there is no graph"))
	}
	tensors, err := values(ctx, Variables(s.Graph))
	if err != nil {
		return fail(err)
	}
	meta := map[string]string{keyVersion: version, keyChecksum: checksum(tensors)}
	random := map[string]ops.RandomState{}
	for name, r := range s.Random {
		random[name] = r.RandomState()
	}
	text, err := json.Marshal(random)
	if err != nil {
		return fail(err)
	}
	meta[keyRandom] = string(text)
	for name, v := range s.Extra {
		if text, err = json.Marshal(v); err != nil {
			return fail(fmt.Errorf("extra %q: %w", name, err))
		}
		meta[keyExtra+name] = string(text)
	}
	meta[keyTexts] = checksumOfTexts(meta)
	err = wholefile.Write(path, func(w io.Writer) error { return safetensors.Write(w, tensors, meta) }, o)
	if err != nil {
		return fail(err)
	}
	return nil
}

// values reads the values of variables.
func values(ctx context.Context, variables iter.Seq2[string, *ops.Node]) (map[string]*tensor.Tensor, error) {
	all := map[string]*tensor.Tensor{}
	for name, v := range variables {
		t, err := ops.Value(ctx, v)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C of the names and elements of tensors, in the order of their names.
func checksum(tensors map[string]*tensor.Tensor) string {
	sum := crc32.New(castagnoli)
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		data, _ := tensors[name].Contiguous().Bytes()
		_, _ = io.WriteString(sum, name) // a hash takes everything
		_, _ = sum.Write(data)
	}
	return fmt.Sprintf("%08x", sum.Sum32())
}

// checksumOfTexts is the CRC-32C of the names and texts of metadata, in the order of their names, but its own.
func checksumOfTexts(meta map[string]string) string {
	sum := crc32.New(castagnoli)
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		if name != keyTexts {
			_, _ = fmt.Fprintf(sum, "%q=%q\n", name, meta[name])
		}
	}
	return fmt.Sprintf("%08x", sum.Sum32())
}

// Restore gives the variables, random numbers and extras of s what the checkpoint at path holds, between two steps. Everything is read
// and compared before anything is changed. An ops.DataParallel whose Batch is 0 makes variables in its first Prepare, which must come
// before.
//
// Errors: the file cannot be read; it is damaged (is [ErrDamaged]); it is of another graph or program (is [ErrMismatch]), with all
// differences: variables that one of both lacks, shapes, dtypes, seeds, names.
func Restore(ctx context.Context, path string, s *State) error {
	fail := func(err error) error { return fmt.Errorf("checkpoint: restore %s: %w", path, err) }
	if s.Graph == nil {
		return fail(errors.New("there is no graph"))
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return fail(damaged(err))
	}
	defer f.Close()
	meta := f.Metadata()
	switch v, ok := meta[keyVersion]; {
	case !ok:
		return fail(fmt.Errorf("%w: it is no checkpoint but a file of weights: see LoadWeights", ErrMismatch))
	case v != version:
		return fail(fmt.Errorf("%w: it is of version %q, and this package reads %s", ErrMismatch, v, version))
	}
	if was, ok := meta[keyTexts]; ok {
		if sum := checksumOfTexts(meta); sum != was {
			return fail(fmt.Errorf("%w: the CRC-32C of its metadata is %s, and %s was written", ErrDamaged, sum, was))
		}
	}
	var random map[string]ops.RandomState
	if err := json.Unmarshal([]byte(meta[keyRandom]), &random); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	extra, wrong := s.decode(meta)
	wrong = append(compare(f, Variables(s.Graph)), wrong...)
	wrong = append(wrong, s.compareRandom(random)...)
	if len(wrong) > 0 {
		return fail(fmt.Errorf("%w graph %q:\n\t%s", ErrMismatch, s.Graph.Name(), strings.Join(wrong, "\n\t")))
	}
	tensors := map[string]*tensor.Tensor{}
	for _, name := range f.Names() {
		if tensors[name], err = f.Tensor(name); err != nil {
			return fail(damaged(err))
		}
	}
	if sum := checksum(tensors); sum != meta[keyChecksum] {
		return fail(fmt.Errorf("%w: the CRC-32C of its tensors is %s, and %s was written", ErrDamaged, sum, meta[keyChecksum]))
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	ctx = context.WithoutCancel(ctx) // all or nothing
	for name, v := range Variables(s.Graph) {
		if err := ops.Set(ctx, v, tensors[name]); err != nil {
			return fail(err)
		}
	}
	for name, r := range s.Random {
		if err := r.SetRandomState(random[name]); err != nil {
			return fail(err)
		}
	}
	for name, v := range extra {
		reflect.ValueOf(s.Extra[name]).Elem().Set(v)
	}
	return nil
}

// damaged marks errors about what is in a file.
func damaged(err error) error {
	if errors.Is(err, safetensors.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, safetensors.ErrDType) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// compare lists how tensors differ from variables.
func compare(f *safetensors.File, variables iter.Seq2[string, *ops.Node]) (wrong []string) {
	left := map[string]bool{}
	for _, name := range f.Names() {
		left[name] = true
	}
	for name, v := range variables {
		info, ok := f.Info(name)
		delete(left, name)
		switch t := (entry{info}); {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("variable %s, %v%v, is not in it", name, v.DType(), v.Shape()))
		case t.dtype() != v.DType() || !slices.Equal(t.Shape, v.Shape()):
			wrong = append(wrong, fmt.Sprintf("variable %s is %v%v, and %v%v in it", name, v.DType(), v.Shape(), t.dtype(), t.Shape))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		info, _ := f.Info(name)
		wrong = append(wrong, fmt.Sprintf("%s, %v%v, is no variable", name, entry{info}.dtype(), info.Shape))
	}
	return wrong
}

// entry is a tensor of a file.
type entry struct{ safetensors.Info }

func (e entry) dtype() tensor.DType {
	dt, _ := e.TensorDType() // Invalid for what no variable has
	return dt
}

// compareRandom lists how random states differ from what there is to set.
func (s *State) compareRandom(random map[string]ops.RandomState) (wrong []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Random)) {
		now := s.Random[name].RandomState()
		switch saved, ok := random[name]; {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("the random numbers of %q are not in it", name))
		case saved.Seed != now.Seed:
			wrong = append(wrong, fmt.Sprintf("the random numbers of %q have the seed %d, and %d in it", name, now.Seed, saved.Seed))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(random)) {
		if s.Random[name] == nil {
			wrong = append(wrong, fmt.Sprintf("the random numbers of %q are in it alone", name))
		}
	}
	return wrong
}

// decode reads extras into new values, and lists what is wrong with them.
func (s *State) decode(meta map[string]string) (values map[string]reflect.Value, wrong []string) {
	values = map[string]reflect.Value{}
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		v := reflect.ValueOf(s.Extra[name])
		text, ok := meta[keyExtra+name]
		switch {
		case v.Kind() != reflect.Pointer || v.IsNil():
			wrong = append(wrong, fmt.Sprintf("extra %q is a %T, not a pointer", name, s.Extra[name]))
			continue
		case !ok:
			wrong = append(wrong, fmt.Sprintf("extra %q is not in it", name))
			continue
		}
		to := reflect.New(v.Type().Elem())
		if err := json.Unmarshal([]byte(text), to.Interface()); err != nil {
			wrong = append(wrong, fmt.Sprintf("extra %q: %v", name, err))
			continue
		}
		values[name] = to.Elem()
	}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if name, ok := strings.CutPrefix(key, keyExtra); ok && s.Extra[name] == nil {
			wrong = append(wrong, fmt.Sprintf("extra %q is in it alone", name))
		}
	}
	return values, wrong
}

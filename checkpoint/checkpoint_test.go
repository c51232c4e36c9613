package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// pair is a graph with two float variables of one name and an int64 one.
func pair(t testing.TB, v float32) (*ops.Graph, []*ops.Node) {
	t.Helper()
	g := ops.NewGraph("pair")
	w := tensor.Must(tensor.FromSlice([]float32{v, v + 1}))
	all := []*ops.Node{g.Variable("w", w), g.Variable("w", tensor.Scalar(v)), g.Variable("step", tensor.Scalar(int64(v)))}
	require.NoError(t, g.Err())
	return g, all
}

// first is the first element of a variable.
func first(t testing.TB, v *ops.Node) float64 {
	t.Helper()
	x, err := ops.Value(t.Context(), v)
	require.NoError(t, err)
	return x.Float64At(0)
}

// position is an Extra.
type position struct{ Epoch, Batch int }

func TestStateIsRestoredWithItsExtras(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	g, _ := pair(t, 5)
	p, best := position{3, 4}, math.Pi
	require.NoError(t, Save(t.Context(), path, &State{Graph: g, Extra: map[string]any{"position": p, "best": &best}}))

	h, all := pair(t, 0)
	var q position
	var got float64
	require.NoError(t, Restore(t.Context(), path, &State{Graph: h, Extra: map[string]any{"position": &q, "best": &got}}))
	require.Equal(t, p, q)
	require.Equal(t, math.Pi, got)
	for _, v := range all {
		require.Equal(t, 5., first(t, v))
	}
	f, err := safetensors.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, []string{"step", "w", "w#2"}, slices.Sorted(slices.Values(f.Names())))

	require.ErrorContains(t, Save(t.Context(), path, &State{Graph: g, Extra: map[string]any{"x": math.NaN()}}), `extra "x"`)
	require.ErrorContains(t, Save(t.Context(), path, &State{}), "no graph")
	require.ErrorContains(t, Restore(t.Context(), path, &State{}), "no graph")
}

func TestACheckpointOfAnotherTrainingIsRefusedWithAllDifferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	g := ops.NewGraph("first")
	g.Variable("same", tensor.Scalar(float32(1)))
	g.Variable("shape", tensor.Must(tensor.New(tensor.Float32, 2, 3)))
	g.Variable("dtype", tensor.Scalar(int32(1)))
	g.Variable("more", tensor.Scalar(float32(1)))
	require.NoError(t, Save(t.Context(), path, &State{Graph: g, Random: map[string]Random{"step": fixed(1)}, Extra: map[string]any{"x": 1, "z": "text"}}))

	h := ops.NewGraph("second")
	same := h.Variable("same", tensor.Scalar(float32(7)))
	h.Variable("shape", tensor.Must(tensor.New(tensor.Float32, 3, 2)))
	h.Variable("dtype", tensor.Scalar(int64(1)))
	h.Variable("less", tensor.Scalar(float32(1)))
	y, z := 0, 0
	err := Restore(t.Context(), path, &State{Graph: h, Random: map[string]Random{"step": fixed(2), "other": fixed(0)}, Extra: map[string]any{"y": &y, "z": &z}})
	require.ErrorIs(t, err, ErrMismatch)
	for _, want := range []string{
		`graph "second"`, "variable shape is float32[3 2], and float32[2 3] in it", "variable dtype is int64[], and int32[] in it",
		"variable less, float32[], is not in it", "more, float32[], is no variable", `"step" have the seed 2, and 1 in it`, `"other" are not in it`,
		`extra "y" is not in it`, `extra "x" is in it alone`, `extra "z"`,
	} {
		require.ErrorContains(t, err, want)
	}
	require.NotContains(t, err.Error(), "same")
	require.Equal(t, 7., first(t, same), "nothing has changed")

	err = Restore(t.Context(), path, &State{Graph: g})
	require.ErrorContains(t, err, `"step" are in it alone`)
	require.NoError(t, safetensors.Save(path, nil, nil))
	require.ErrorContains(t, Restore(t.Context(), path, &State{Graph: g}), "LoadWeights")
	require.NoError(t, safetensors.Save(path, nil, map[string]string{keyVersion: "2"}))
	require.ErrorContains(t, Restore(t.Context(), path, &State{Graph: g}), `version "2"`)
}

// fixed is a source of random numbers with that seed.
type fixed uint64

func (f fixed) RandomState() ops.RandomState           { return ops.RandomState{Seed: uint64(f)} }
func (f fixed) SetRandomState(s ops.RandomState) error { return nil }

func TestADamagedCheckpointIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	g, all := pair(t, 5)
	state := &State{Graph: g, Extra: map[string]any{"position": &position{3, 4}}}
	require.NoError(t, Save(t.Context(), path, state))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, ops.Set(t.Context(), all[2], tensor.Scalar(int64(9))))
	for n := range len(whole) {
		require.NoError(t, os.WriteFile(path, whole[:n], 0o600))
		require.ErrorIs(t, Restore(t.Context(), path, state), ErrDamaged, "cut to %d bytes", n)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	require.NoError(t, os.WriteFile(path, flipped, 0o600))
	err = Restore(t.Context(), path, state)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "CRC-32C")
	later := bytes.Replace(whole, []byte(`Epoch\":3`), []byte(`Epoch\":4`), 1)
	require.NotEqual(t, whole, later)
	require.NoError(t, os.WriteFile(path, later, 0o600))
	err = Restore(t.Context(), path, state)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "of its metadata")
	require.Equal(t, 9., first(t, all[2]), "nothing has changed")
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, Restore(t.Context(), path, state))
	require.ErrorIs(t, Restore(t.Context(), path+"x", state), os.ErrNotExist)
}

var errFull = errors.New("no space left on device")

// small is a disk with room for that many bytes.
type small struct {
	w    io.Writer
	left int
}

func (s *small) Write(p []byte) (int, error) {
	if n := min(len(p), s.left); n < len(p) {
		_, _ = s.w.Write(p[:n])
		s.left = 0
		return n, errFull
	}
	s.left -= len(p)
	return s.w.Write(p)
}

func TestAFullDiskLeavesTheCheckpointBefore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.safetensors")
	g, all := pair(t, 5)
	require.NoError(t, Save(t.Context(), path, &State{Graph: g}))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, ops.Set(t.Context(), all[2], tensor.Scalar(int64(6))))
	for room := 0; room < len(whole); room += 7 {
		err := save(t.Context(), path, &State{Graph: g}, &wholefile.Options{Through: func(w io.Writer) io.Writer { return &small{w, room} }})
		require.ErrorIs(t, err, errFull)
		require.ErrorContains(t, err, path)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.NoError(t, Restore(t.Context(), path, &State{Graph: g}))
	require.Equal(t, 5., first(t, all[2]))
}

func TestAFolderKeepsTheLastAndTheBest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := &Folder{Dir: dir, Keep: 2}
	g, all := pair(t, 0)
	_, err := f.Restore(t.Context(), &State{Graph: g})
	require.ErrorIs(t, err, ErrNone)
	for step := range 5 {
		require.NoError(t, ops.Set(t.Context(), all[2], tensor.Scalar(int64(10*step))))
		require.NoError(t, f.Save(t.Context(), &State{Graph: g}, 100*step))
		if step == 2 {
			require.NoError(t, f.SaveBest(t.Context(), &State{Graph: g}))
		}
	}
	steps, err := f.Steps()
	require.NoError(t, err)
	require.Equal(t, []int{300, 400}, steps)
	require.NoError(t, Restore(t.Context(), f.Best(), &State{Graph: g}))
	require.Equal(t, 20., first(t, all[2]))
	step, err := f.Restore(t.Context(), &State{Graph: g})
	require.NoError(t, err)
	require.Equal(t, 400, step)
	require.Equal(t, 40., first(t, all[2]))

	require.NoError(t, os.Truncate(f.Path(400), 50))
	_, err = f.Restore(t.Context(), &State{Graph: g})
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, f.Path(300))
	require.NoError(t, Restore(t.Context(), f.Path(300), &State{Graph: g}))
	require.Equal(t, 30., first(t, all[2]))

	// A step that is trained again after going back stays, whatever came later.
	require.NoError(t, f.Save(t.Context(), &State{Graph: g}, 50))
	steps, err = f.Steps()
	require.NoError(t, err)
	require.Equal(t, []int{50, 300, 400}, steps)
}

func TestWeightsOfOthersAreFoundByRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	kernel := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	require.NoError(t, safetensors.Save(path, map[string]*tensor.Tensor{
		"model.h.0.c.weight": kernel, "model.h.0.c.bias": tensor.Must(tensor.FromSlice([]tensor.Half{tensor.HalfFrom(1.5)})), "head.x": kernel,
		"count": tensor.Scalar(int64(3)), "norm.num_batches_tracked": tensor.Scalar(int64(5)),
	}, map[string]string{"format": "pt"}))
	f, err := safetensors.Open(path)
	require.NoError(t, err)
	defer f.Close()
	g := ops.NewGraph("g")
	w := g.Variable("layers.0.weight", tensor.Must(tensor.New(tensor.Float32, 3, 2)))
	b := g.Variable("layers.0.bias", tensor.Must(tensor.New(tensor.Float32, 1)))
	n := g.Variable("count", tensor.Scalar(int64(0)))
	o := &WeightOptions{Rules: []Rule{
		{Match: `model\.h\.(\d+)\.c\.weight`, Name: "layers.$1.weight", Axes: []int{1, 0}},
		{Match: `model\.h\.(\d+)\.c\.(.*)`, Name: "layers.$1.$2"},
		{Match: `head\..*`, Skip: true},
	}}
	report, err := LoadWeights(t.Context(), f, Variables(g), o)
	require.NoError(t, err)
	require.Equal(t, &WeightReport{Loaded: []string{"layers.0.weight", "layers.0.bias", "count"}, Skipped: []string{"head.x", "norm.num_batches_tracked"}}, report)
	got, err := ops.Value(t.Context(), w)
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]float32{1, 4, 2, 5, 3, 6}, 3, 2)), got))
	require.Equal(t, 1.5, first(t, b))
	require.Equal(t, 3., first(t, n))

	// All that is wrong is said, and nothing is changed.
	require.NoError(t, ops.Set(t.Context(), n, tensor.Scalar(int64(8))))
	g.Variable("new", tensor.Scalar(float32(0)))
	_, err = LoadWeights(t.Context(), f, Variables(g), &WeightOptions{Rules: o.Rules[1:2]})
	require.ErrorIs(t, err, ErrMismatch)
	require.ErrorContains(t, err, "variable new, float32[], is not in the file")
	require.ErrorContains(t, err, "tensor head.x of the file is no variable")
	require.ErrorContains(t, err, "variable layers.0.weight is float32[3 2], and tensor model.h.0.c.weight of the file float32[2 3]")
	require.Equal(t, 8., first(t, n))
	o.Partial = true
	report, err = LoadWeights(t.Context(), f, Variables(g), o)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, report.Missing)
	require.Equal(t, 3., first(t, n))

	_, err = LoadWeights(t.Context(), f, Variables(g), &WeightOptions{Rules: []Rule{{Match: "("}}})
	require.ErrorContains(t, err, `rule "("`)
	_, err = LoadWeights(t.Context(), f, Variables(g), &WeightOptions{Rules: []Rule{{Match: ".*", Name: "x"}}})
	require.ErrorContains(t, err, "both to be x")

	require.NoError(t, SaveWeights(t.Context(), path, Variables(g), map[string]string{"by": "test"}))
	all, meta, err := safetensors.Load(path)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"format": "pt", "by": "test"}, meta)
	require.Equal(t, []string{"count", "layers.0.bias", "layers.0.weight", "new"}, slices.Sorted(maps.Keys(all)))
	twice := func(yield func(string, *ops.Node) bool) { _ = yield("a", w) && yield("a", b) }
	require.ErrorContains(t, SaveWeights(t.Context(), path, twice, nil), "called a")
}

func TestNamesOfVariablesAreDistinct(t *testing.T) {
	g := ops.NewGraph("g")
	for _, name := range []string{"a", "a#2", "a", "a", "b"} {
		g.Variable(name, tensor.Scalar(float32(0)))
	}
	var names []string
	for name := range Variables(g) {
		names = append(names, name)
	}
	require.Equal(t, "a a#2 a#3 a#4 b", strings.Join(names, " "), fmt.Sprint(names))
}

// ending is a context that ends after some looks at it.
type ending struct {
	context.Context
	looks int
}

func (e *ending) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestWeightsAreLoadedAllOrNotAtAll(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	g, _ := pair(t, 5)
	require.NoError(t, SaveWeights(t.Context(), path, Variables(g), nil))
	for looks := range 6 {
		h, all := pair(t, 0)
		f, err := safetensors.Open(path)
		require.NoError(t, err)
		_, err = LoadWeights(&ending{t.Context(), looks}, f, Variables(h), nil)
		require.NoError(t, f.Close())
		want := 5.
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			want = 0
		}
		for _, v := range all {
			require.Equal(t, want, first(t, v), "after %d looks", looks)
		}
	}
}

func TestAStepWithoutANameIsNotSaved(t *testing.T) {
	t.Parallel()
	f := &Folder{Dir: t.TempDir()}
	g, _ := pair(t, 1)
	for _, step := range []int{-1, 1_000_000_000_000} {
		require.ErrorContains(t, f.Save(t.Context(), &State{Graph: g}, step), "step", "%d", step)
	}
	require.NoError(t, f.Save(t.Context(), &State{Graph: g}, 999_999_999_999))
	steps, err := f.Steps()
	require.NoError(t, err)
	require.Equal(t, []int{999_999_999_999}, steps)
}

package data

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/tensor"
)

// counted are n examples whose field is 10 times their number, and whose label is their number.
func counted(t *testing.T, n int) Dataset {
	t.Helper()
	x, y := make([]float32, 2*n), make([]int64, n)
	for i := range n {
		x[2*i], x[2*i+1], y[i] = float32(10*i), float32(10*i+1), int64(i)
	}
	d, err := Tensors(tensor.Must(tensor.FromSlice(x, n, 2)), tensor.Must(tensor.FromSlice(y)))
	require.NoError(t, err)
	return d
}

// numbersOf are the examples of the rest of an epoch, batch by batch.
func numbersOf(t *testing.T, l *Loader) (all [][]int) {
	t.Helper()
	for b, err := range l.Epoch(t.Context()) {
		require.NoError(t, err)
		var numbers []int
		for i := range b.Tensors[1].Len() {
			n := int(b.Tensors[1].Float64At(i))
			require.Equal(t, float64(10*n), b.Tensors[0].Float64At(2*i))
			require.Equal(t, float64(10*n+1), b.Tensors[0].Float64At(2*i+1))
			numbers = append(numbers, n)
		}
		require.Equal(t, b.Numbers, numbers)
		require.Equal(t, []int{len(numbers), 2}, b.Tensors[0].Shape())
		all = append(all, numbers)
	}
	return all
}

func TestBatchesInOrder(t *testing.T) {
	l, err := NewLoader(counted(t, 7), LoaderOptions{Batch: 3})
	require.NoError(t, err)
	require.Equal(t, 3, l.Len())
	require.Equal(t, 7, l.Examples())
	require.Equal(t, []int{3, 1}, l.Sizes())
	want := [][]int{{0, 1, 2}, {3, 4, 5}, {6}}
	for range 2 {
		require.Equal(t, want, numbersOf(t, l))
	}
	l, err = NewLoader(counted(t, 7), LoaderOptions{Batch: 3, DropLast: true})
	require.NoError(t, err)
	require.Equal(t, want[:2], numbersOf(t, l))
	require.Equal(t, []int{3}, l.Sizes())
	l, err = NewLoader(counted(t, 2), LoaderOptions{Batch: 3})
	require.NoError(t, err)
	require.Equal(t, [][]int{{0, 1}}, numbersOf(t, l))
	require.Equal(t, []int{2}, l.Sizes())
	l, err = NewLoader(counted(t, 0), LoaderOptions{})
	require.NoError(t, err)
	require.Empty(t, numbersOf(t, l))
}

func TestTheOrderIsTheOneThatIsStated(t *testing.T) {
	// By the words of the package comment, with 128-bit arithmetic of another kind.
	order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	r := rand.NewPCG(5, 2)
	for i := 9; i > 0; i-- {
		x := r.Uint64()
		n := uint64(i + 1)
		j := ((x>>32)*n + (x&(1<<32-1)*n)>>32) >> 32
		order[i], order[j] = order[j], order[i]
	}
	require.Equal(t, order, Permutation(10, 5, 2))

	l, err := NewLoader(counted(t, 10), LoaderOptions{Batch: 4, Shuffle: true, Seed: 5, Workers: 3, Ahead: 5})
	require.NoError(t, err)
	var epochs [][]int
	for e := range 3 {
		epochs = append(epochs, slices.Concat(numbersOf(t, l)...))
		require.Equal(t, Permutation(10, 5, e), epochs[e])
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, slices.Sorted(slices.Values(epochs[e])))
	}
	require.NotEqual(t, epochs[0], epochs[1])
}

func TestALoaderGoesOnWhereAnotherStopped(t *testing.T) {
	o := LoaderOptions{Batch: 3, Shuffle: true, Seed: 1}
	whole, err := NewLoader(counted(t, 11), o)
	require.NoError(t, err)
	want := slices.Concat(numbersOf(t, whole), numbersOf(t, whole))
	for stop := range len(want) + 1 {
		first, err := NewLoader(counted(t, 11), o)
		require.NoError(t, err)
		var got [][]int
		for len(got) < stop {
			for b, err := range first.Epoch(t.Context()) {
				require.NoError(t, err)
				if got = append(got, slices.Clone(b.Numbers)); len(got) == stop {
					break
				}
			}
		}
		o.Ahead, o.Workers = stop%4, stop%3
		second, err := NewLoader(counted(t, 11), o)
		require.NoError(t, err)
		require.NoError(t, second.SetPosition(first.Position()))
		for len(got) < len(want) {
			got = append(got, numbersOf(t, second)...)
		}
		require.Equal(t, want, got, "stopped after %d batches", stop)
	}
	o.Seed++
	other, err := NewLoader(counted(t, 11), o)
	require.NoError(t, err)
	require.ErrorContains(t, other.SetPosition(whole.Position()), "another loader")
	p := other.Position()
	p.Batch = 9
	require.ErrorContains(t, other.SetPosition(p), "batch 9")
}

// failing fails to read one example.
type failing struct {
	Dataset
	at    int
	reads atomic.Int64
}

var errRead = errors.New("a bad sector")

func (f *failing) Read(numbers []int, into []*tensor.Tensor) error {
	f.reads.Add(1)
	if slices.Contains(numbers, f.at) {
		return errRead
	}
	return f.Dataset.Read(numbers, into)
}

func TestAnErrorEndsTheEpochAfterTheBatchesBefore(t *testing.T) {
	before := runtime.NumGoroutine()
	d := &failing{Dataset: counted(t, 40), at: 9}
	l, err := NewLoader(d, LoaderOptions{Batch: 4, Ahead: 4, Workers: 2})
	require.NoError(t, err)
	good := 0
	for b, err := range l.Epoch(t.Context()) {
		if err != nil {
			require.ErrorIs(t, err, errRead)
			require.ErrorContains(t, err, "batch 2 of epoch 0")
			require.Nil(t, b)
			break
		}
		good++
	}
	require.Equal(t, 2, good)
	require.Equal(t, 2, l.Position().Batch)
	testleak.RequireGoroutines(t, before)
}

func TestNoMoreIsReadThanIsToBeAhead(t *testing.T) {
	d := &failing{Dataset: counted(t, 400), at: -1}
	l, err := NewLoader(d, LoaderOptions{Batch: 1, Ahead: 3, Workers: 2})
	require.NoError(t, err)
	seen := int64(0)
	for _, err := range l.Epoch(t.Context()) {
		require.NoError(t, err)
		seen++
		runtime.Gosched()
		require.LessOrEqual(t, d.reads.Load(), seen+3)
	}
	require.EqualValues(t, 400, seen)
}

func TestAContextEndsALoop(t *testing.T) {
	l, err := NewLoader(counted(t, 40), LoaderOptions{Batch: 4})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := 0
	for _, err := range l.Epoch(ctx) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			break
		}
		if got++; got == 3 {
			cancel()
		}
	}
	require.Equal(t, 3, got)
	require.Equal(t, 3, l.Position().Batch, "what was not yielded comes again")
	require.Len(t, numbersOf(t, l), 7)
}

func TestALoopWithinALoopIsAnError(t *testing.T) {
	l, err := NewLoader(counted(t, 4), LoaderOptions{Batch: 2})
	require.NoError(t, err)
	for _, err := range l.Epoch(t.Context()) {
		require.NoError(t, err)
		for _, err := range l.Epoch(t.Context()) {
			require.ErrorContains(t, err, "under way")
		}
		require.ErrorContains(t, l.SetPosition(l.Position()), "under way")
	}
	_, err = NewLoader(nil, LoaderOptions{})
	require.Error(t, err)
	_, err = NewLoader(counted(t, 4), LoaderOptions{Batch: -1})
	require.Error(t, err)
}

func TestSplitsAndSubsets(t *testing.T) {
	d := counted(t, 10)
	first, rest, err := Split(d, 0.3, 7)
	require.NoError(t, err)
	require.Equal(t, 7, first.Len())
	require.Equal(t, 3, rest.Len())
	var all []int
	for _, part := range []Dataset{first, rest} {
		l, err := NewLoader(part, LoaderOptions{Batch: 4})
		require.NoError(t, err)
		for b, err := range l.Epoch(t.Context()) {
			require.NoError(t, err)
			for i := range b.Tensors[1].Len() {
				all = append(all, int(b.Tensors[1].Float64At(i)))
			}
		}
	}
	require.Equal(t, Permutation(10, 7, 0), all)
	_, _, err = Split(d, 1.1, 0)
	require.Error(t, err)
	_, err = Subset(d, []int{10})
	require.Error(t, err)
	x, err := Rows(tensor.Must(tensor.FromSlice([]int32{1, 2, 3, 4}, 2, 2)), []int{1, 1, 0})
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]int32{3, 4, 3, 4, 1, 2}, 3, 2)), x))
	_, err = Rows(x, []int{-1})
	require.Error(t, err)
	_, err = Tensors()
	require.Error(t, err)
	_, err = Tensors(x, tensor.Scalar(1.))
	require.Error(t, err)
	_, err = Tensors(x, tensor.Must(tensor.FromSlice([]int32{1})))
	require.ErrorContains(t, err, "1 rows")
}

func TestBatchesAllocateNothing(t *testing.T) {
	whole := counted(t, 4096)
	part, _, err := Split(counted(t, 8192), 0.5, 1)
	require.NoError(t, err)
	for name, d := range map[string]Dataset{"tensors": whole, "a part of them": part} {
		l, err := NewLoader(d, LoaderOptions{Batch: 4, Shuffle: true})
		require.NoError(t, err)
		epoch := func() {
			for _, err := range l.Epoch(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		require.Less(t, testing.AllocsPerRun(3, epoch), 100., "of an epoch of 1,024 batches of %s", name)
	}
}

func TestOneBatchHasAllExamples(t *testing.T) {
	d, err := Tensors(tensor.Must(tensor.FromSlice([]float32{1, 2, 3})))
	require.NoError(t, err)
	l, err := NewLoader(d, LoaderOptions{Batch: math.MaxInt})
	require.NoError(t, err)
	require.Equal(t, 1, l.Len())
	seen := 0
	for b, err := range l.Epoch(t.Context()) {
		require.NoError(t, err)
		seen += len(b.Numbers)
	}
	require.Equal(t, 3, seen)
}

func TestASplitOfANegativeNumberIsAnError(t *testing.T) {
	_, _, err := SplitNumbers(-1, 0.5, 1)
	require.ErrorContains(t, err, "-1")
}

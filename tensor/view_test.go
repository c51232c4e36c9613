package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// model is an array as a naive reader imagines it: a shape and its elements in row-major order.
type model struct {
	shape []int
	data  []float64
}

// remap builds the array whose element at an index is m's at source(index).
func (m model) remap(shape []int, source func(index []int) []int) model {
	out := model{shape: slices.Clone(shape)}
	n, _ := NumElems(shape)
	for i := range n {
		at := 0
		for axis, k := range source(unravel(i, shape)) {
			at = at*m.shape[axis] + k
		}
		out.data = append(out.data, m.data[at])
	}
	return out
}

// randomView takes one random view of x and of its model m, and says which.
func randomView(rng *rand.Rand, x *Tensor, m model) (*Tensor, model, string, error) {
	rank := len(m.shape)
	shape := slices.Clone(m.shape)
	kind := rng.IntN(8)
	if rank == 0 && kind < 5 {
		kind = 5
	}
	axis := 0
	if rank > 0 {
		axis = rng.IntN(rank)
	}
	switch kind {
	case 0:
		perm := rng.Perm(rank)
		for i, p := range perm {
			shape[i] = m.shape[p]
		}
		y, err := x.Transpose(perm...)
		return y, m.remap(shape, func(index []int) []int {
			from := make([]int, rank)
			for i, p := range perm {
				from[p] = index[i]
			}
			return from
		}), fmt.Sprint("transpose", perm), err
	case 1:
		start, stop, step := 0, 0, 1+rng.IntN(3)
		if size := m.shape[axis]; size > 0 {
			start = rng.IntN(size)
			stop = start + rng.IntN(size-start+1)
			if rng.IntN(2) == 0 {
				step, stop = -step, start-rng.IntN(start+2)
			}
		}
		var picked []int
		for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
			picked = append(picked, i)
		}
		shape[axis] = len(picked)
		y, err := x.Slice(axis, start, stop, step)
		return y, m.remap(shape, func(index []int) []int {
			index[axis] = picked[index[axis]]
			return index
		}), fmt.Sprint("slice", axis, start, stop, step), err
	case 2:
		if m.shape[axis] == 0 {
			break
		}
		i := rng.IntN(m.shape[axis])
		y, err := x.Index(axis, i)
		return y, m.remap(slices.Delete(shape, axis, axis+1), func(index []int) []int {
			return slices.Insert(index, axis, i)
		}), fmt.Sprint("index", axis, i), err
	case 3:
		y, err := x.Flip(axis - rank)
		return y, m.remap(shape, func(index []int) []int {
			index[axis] = m.shape[axis] - 1 - index[axis]
			return index
		}), fmt.Sprint("flip", axis), err
	case 4:
		squeezed := slices.DeleteFunc(shape, func(size int) bool { return size == 1 })
		y, err := x.Squeeze()
		return y, model{squeezed, m.data}, "squeeze", err
	case 5:
		at := rng.IntN(rank + 1)
		y, err := x.Unsqueeze(at)
		return y, model{slices.Insert(shape, at, 1), m.data}, fmt.Sprint("unsqueeze", at), err
	case 6:
		for i, size := range shape {
			if size == 1 {
				shape[i] = 1 + rng.IntN(3)
			}
		}
		if rng.IntN(2) == 0 {
			shape = slices.Insert(shape, 0, 2)
		}
		y, err := x.BroadcastTo(shape...)
		return y, m.remap(shape, func(index []int) []int {
			index = index[len(index)-rank:]
			for i, size := range m.shape {
				if size == 1 {
					index[i] = 0
				}
			}
			return index
		}), fmt.Sprint("broadcast", shape), err
	}
	shape = randomFactors(rng, len(m.data), m.shape)
	y, err := x.Reshape(shape...)
	return y, model{shape, m.data}, fmt.Sprint("reshape", shape), err
}

// randomFactors returns a shape with n elements.
func randomFactors(rng *rand.Rand, n int, old []int) []int {
	if n == 0 {
		shape := slices.Clone(old)
		rng.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		return shape
	}
	shape := []int{}
	for n > 1 {
		f := 2 + rng.IntN(n-1)
		for n%f != 0 {
			f--
			if f < 2 {
				f = n
			}
		}
		shape = append(shape, f)
		n /= f
	}
	if rng.IntN(3) == 0 {
		shape = slices.Insert(shape, rng.IntN(len(shape)+1), 1)
	}
	return shape
}

func TestRandomViewsAgreeWithNaiveIndexing(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 11))
	for range 3000 {
		shape := make([]int, rng.IntN(5))
		for i := range shape {
			shape[i] = rng.IntN(5)
			if rng.IntN(3) > 0 {
				shape[i] = 1 + rng.IntN(4)
			}
		}
		x := iota32(t, shape...)
		m := model{shape, elements(x)}
		history := fmt.Sprint(shape)
		for range 1 + rng.IntN(5) {
			y, next, op, err := randomView(rng, x, m)
			history += " " + op
			require.NoError(t, err, history)
			x, m = y, next
			if len(m.data) > 2000 {
				break
			}
		}
		checkAgainstModel(t, x, m, history)
	}
}

func checkAgainstModel(t *testing.T, x *Tensor, m model, history string) {
	t.Helper()
	if !slices.Equal(x.Shape(), m.shape) || !slices.Equal(elements(x), m.data) || x.Len() != len(m.data) {
		t.Fatalf("%s: got %v with strides %v, want %v", history, x, x.Strides(), m)
	}
	for i, want := range m.data {
		if at, err := x.At(unravel(i, m.shape)...); x.Float64At(i) != want || at != want || err != nil {
			t.Fatalf("%s: element %d is %v or %v, want %v", history, i, x.Float64At(i), at, want)
		}
	}
	copied, err := ToSlice[int32](x)
	require.NoError(t, err, history)
	for i, want := range m.data {
		if float64(copied[i]) != want {
			t.Fatalf("%s: slice element %d is %v, want %v", history, i, copied[i], want)
		}
	}
	asFloat, err := Cast(x, Float64)
	require.NoError(t, err, history)
	if !slices.Equal(elements(asFloat), m.data) {
		t.Fatalf("%s: cast gave %v, want %v", history, asFloat, m)
	}
	data, contiguous := x.Bytes()
	if contiguous != x.IsContiguous() || contiguous && len(data) != x.NumBytes() || !contiguous && data != nil {
		t.Fatalf("%s: Bytes gave %d, %v", history, len(data), contiguous)
	}
	if !Equal(x, x.Clone()) || !x.Clone().IsContiguous() {
		t.Fatalf("%s: the clone differs: %v", history, x.Clone())
	}
}

// TestReshapeIsAViewExactlyWhenStridesCanSayIt checks every small case against a search over the
// offsets: a view exists if the offsets of the elements in the new shape are affine in the index.
func TestReshapeIsAViewExactlyWhenStridesCanSayIt(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	views := 0
	for range 3000 {
		x := iota32(t, []int{2, 3, 4}...)
		m := model{[]int{2, 3, 4}, elements(x)}
		for range rng.IntN(3) {
			var err error
			var op string
			x, m, op, err = randomView(rng, x, m)
			require.NoError(t, err, op)
		}
		shape := randomFactors(rng, x.Len(), x.Shape())
		y, err := x.ReshapeView(shape...)
		if want := affine(x, shape); (err == nil) != want {
			t.Fatalf("%v with strides %v to %v: view %v, want %v", x.Shape(), x.Strides(), shape, err == nil, want)
		}
		if err == nil {
			views++
			require.True(t, slices.Equal(m.data, elements(y)))
			require.Equal(t, &x.data[0], &y.data[0])
		}
	}
	assert.Greater(t, views, 500)
	assert.Less(t, views, 2900)
}

func affine(x *Tensor, shape []int) bool {
	if x.Len() == 0 {
		return true
	}
	at := func(index []int) int {
		linear := 0
		for axis, i := range index {
			linear = linear*shape[axis] + i
		}
		return x.offsetOf(linear)
	}
	strides := make([]int, len(shape))
	for axis, size := range shape {
		if size > 1 {
			unit := make([]int, len(shape))
			unit[axis] = 1
			strides[axis] = at(unit) - x.offset
		}
	}
	for i := range x.Len() {
		want := x.offset
		for axis, k := range unravel(i, shape) {
			want += k * strides[axis]
		}
		if x.offsetOf(i) != want {
			return false
		}
	}
	return true
}

func TestViewsShareStorage(t *testing.T) {
	t.Parallel()
	x := iota32(t, 2, 1, 3)
	views := map[string]*Tensor{
		"reshape":   Must(x.Reshape(3, -1)),
		"transpose": Must(x.Transpose()),
		"slice":     Must(x.Slice(-1, 2, -1, -1)),
		"index":     Must(x.Index(0, 1)),
		"flip":      Must(x.Flip()),
		"squeeze":   Must(x.Squeeze(1)),
		"unsqueeze": Must(x.Unsqueeze(-1)),
		"broadcast": Must(x.BroadcastTo(2, 5, 3)),
	}
	require.NoError(t, x.SetAt(-9, 1, 0, 1))
	for name, v := range views {
		assert.Contains(t, elements(v), -9.0, name)
	}
	views["flip"].SetFloat64(0, 42)
	assert.Equal(t, 42.0, x.Float64At(5))
}

func TestViewMistakesAreErrors(t *testing.T) {
	t.Parallel()
	x := iota32(t, 2, 3)
	transposed := Must(x.Transpose())
	empty := Must(New(Int32, 0, 3))
	for name, mistake := range map[string]func() (*Tensor, error){
		"reshape to another length":   func() (*Tensor, error) { return x.Reshape(4) },
		"reshape with two unknowns":   func() (*Tensor, error) { return x.Reshape(-1, -1) },
		"reshape with a remainder":    func() (*Tensor, error) { return x.Reshape(4, -1) },
		"reshape with a negative":     func() (*Tensor, error) { return x.Reshape(-2, -3) },
		"reshape with overflow":       func() (*Tensor, error) { return x.Reshape(math.MaxInt, math.MaxInt) },
		"reshape unknown beside zero": func() (*Tensor, error) { return empty.Reshape(0, -1) },
		"reshape full to unknown x 0": func() (*Tensor, error) { return x.Reshape(-1, 0) },
		"reshape to scalar":           func() (*Tensor, error) { return x.Reshape() },
		"reshape view of transposed":  func() (*Tensor, error) { return transposed.ReshapeView(6) },
		"transpose too few":           func() (*Tensor, error) { return x.Transpose(0) },
		"transpose too many":          func() (*Tensor, error) { return x.Transpose(0, 1, 1) },
		"transpose twice the same":    func() (*Tensor, error) { return x.Transpose(1, -1) },
		"transpose out of range":      func() (*Tensor, error) { return x.Transpose(0, 2) },
		"slice axis":                  func() (*Tensor, error) { return x.Slice(2, 0, 1, 1) },
		"slice negative axis":         func() (*Tensor, error) { return x.Slice(-3, 0, 1, 1) },
		"slice step 0":                func() (*Tensor, error) { return x.Slice(0, 0, 1, 0) },
		"slice beyond":                func() (*Tensor, error) { return x.Slice(0, 0, 3, 1) },
		"slice start below 0":         func() (*Tensor, error) { return x.Slice(0, -1, 1, 1) },
		"slice crossed":               func() (*Tensor, error) { return x.Slice(0, 2, 1, 1) },
		"slice back from size":        func() (*Tensor, error) { return x.Slice(0, 2, -1, -1) },
		"slice back below -1":         func() (*Tensor, error) { return x.Slice(0, 1, -2, -1) },
		"slice of a scalar":           func() (*Tensor, error) { return Scalar(1.0).Slice(0, 0, 0, 1) },
		"index out of range":          func() (*Tensor, error) { return x.Index(1, 3) },
		"index below 0":               func() (*Tensor, error) { return x.Index(1, -1) },
		"index axis":                  func() (*Tensor, error) { return x.Index(5, 0) },
		"flip axis":                   func() (*Tensor, error) { return x.Flip(2) },
		"flip twice":                  func() (*Tensor, error) { return x.Flip(1, -1) },
		"squeeze a size":              func() (*Tensor, error) { return x.Squeeze(0) },
		"squeeze axis":                func() (*Tensor, error) { return x.Squeeze(9) },
		"unsqueeze axis":              func() (*Tensor, error) { return x.Unsqueeze(4) },
		"broadcast smaller":           func() (*Tensor, error) { return x.BroadcastTo(3) },
		"broadcast other":             func() (*Tensor, error) { return x.BroadcastTo(2, 4) },
		"broadcast to one":            func() (*Tensor, error) { return x.BroadcastTo(1, 3) },
		"broadcast negative":          func() (*Tensor, error) { return x.BroadcastTo(-1, 2, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			y, err := mistake()
			require.Error(t, err)
			assert.Nil(t, y)
			assert.Regexp(t, "^tensor: ", err.Error())
		})
	}
}

func TestExtremeStepsDoNotOverflow(t *testing.T) {
	t.Parallel()
	x := iota32(t, 5)
	assert.Equal(t, []float64{3}, elements(Must(x.Slice(0, 3, 5, math.MaxInt))))
	assert.Equal(t, []float64{3}, elements(Must(x.Slice(0, 3, -1, math.MinInt))))
	assert.Equal(t, []float64{4, 2, 0}, elements(Must(x.Slice(0, 4, -1, -2))))
	assert.Empty(t, elements(Must(x.Slice(0, 5, 5, 1))))
	empty := Must(New(Int32, 0))
	assert.Empty(t, elements(Must(empty.Slice(0, -1, -1, -1))))
	assert.Empty(t, elements(Must(empty.Flip())))
}

func TestReshapeFillsOneUnknownSize(t *testing.T) {
	t.Parallel()
	x := iota32(t, 4, 6)
	assert.Equal(t, []int{3, 8}, Must(x.Reshape(3, -1)).Shape())
	assert.Equal(t, []int{24}, Must(x.Reshape(-1)).Shape())
	assert.Equal(t, []int{0, 5}, Must(Must(New(Int8, 0, 3)).Reshape(-1, 5)).Shape())
	assert.Empty(t, Must(Scalar(1.0).Reshape()).Shape())
	assert.Equal(t, []int{1, 1}, Must(Scalar(1.0).Reshape(1, -1)).Shape())
}

func TestBroadcastFollowsNumPy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want []int }{
		{nil, nil, nil},
		{nil, []int{3}, []int{3}},
		{[]int{8, 1, 6, 1}, []int{7, 1, 5}, []int{8, 7, 6, 5}},
		{[]int{5, 4}, []int{1}, []int{5, 4}},
		{[]int{0}, []int{1}, []int{0}},
		{[]int{1, 3}, []int{0, 1}, []int{0, 3}},
		{[]int{2}, []int{3}, []int{-1}},
		{[]int{0}, []int{2}, []int{-1}},
		{[]int{2, 1}, []int{8, 4, 3}, []int{-1}},
		{[]int{math.MaxInt, 1}, []int{1, 2}, []int{-1}},
	} {
		for range 2 {
			got, err := Broadcast(c.a, c.b)
			if len(c.want) == 1 && c.want[0] == -1 {
				require.Error(t, err, "%v and %v", c.a, c.b)
			} else {
				require.NoError(t, err)
				assert.True(t, EqualShapes(c.want, got), "%v and %v gave %v", c.a, c.b, got)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

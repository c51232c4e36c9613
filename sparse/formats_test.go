package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

func TestFormatsHoldTheSameMatrix(t *testing.T) {
	t.Parallel()
	for _, s := range [][3]int{{12, 18, 60}, {6, 6, 0}, {1, 9, 4}, {30, 6, 500}} {
		a := random[float64](t, s[0], s[1], s[2], 1)
		require.NoError(t, a.Check())
		dense := a.Dense()
		assert.Equal(t, a, a.CSC().CSR())
		require.NoError(t, a.CSC().Check())
		again, err := a.COO().CSR()
		require.NoError(t, err)
		assert.Equal(t, dense, again.Dense())
		again, err = sparse.FromDense(s[0], s[1], dense)
		require.NoError(t, err)
		assert.Equal(t, dense, again.Dense())
		for r := range s[0] {
			for c := range s[1] {
				assert.Equal(t, dense[r*s[1]+c], a.Transpose().At(c, r))
			}
		}
		if s[0]%3 == 0 {
			b, err := a.BSR(3, 2)
			require.NoError(t, err)
			require.NoError(t, b.Check())
			require.NoError(t, b.CSR().Check())
			assert.Equal(t, dense, b.CSR().Dense())
		}
	}
}

func TestElementsAtOnePlaceAreAdded(t *testing.T) {
	t.Parallel()
	a := &sparse.COO[float32]{Rows: 2, Cols: 2}
	a.Add(1, 0, 2)
	a.Add(0, 1, 5)
	a.Add(1, 0, 3)
	c, err := a.CSR()
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 5, 5, 0}, c.Dense())
	assert.Len(t, c.Value, 2)
}

func TestArithmeticIsThatOfDenseMatrices(t *testing.T) {
	t.Parallel()
	a, b, c := random[float64](t, 9, 7, 20, 1), random[float64](t, 9, 7, 25, 2), random[float64](t, 7, 11, 30, 3)
	sum, err := a.Plus(-2, b)
	require.NoError(t, err)
	both, err := a.Times(b)
	require.NoError(t, err)
	da, db := a.Dense(), b.Dense()
	for i := range da {
		assert.Equal(t, da[i]-2*db[i], sum.Dense()[i])
		assert.Equal(t, da[i]*db[i], both.Dense()[i])
	}
	p, err := a.Product(c)
	require.NoError(t, err)
	require.NoError(t, p.Check())
	near(t, product(da, 9, 7, c.Dense(), 11), p.Dense(), 1e-15)
	x := numbers[float64](7*3, 4)
	y, err := a.MulDense(x, 3)
	require.NoError(t, err)
	near(t, product(da, 9, 7, x, 3), y, 1e-15)
	rows, err := a.Sum(1)
	require.NoError(t, err)
	cols, err := a.Sum(0)
	require.NoError(t, err)
	ones := make([]float64, 9)
	for i := range ones {
		ones[i] = 1
	}
	near(t, product(da, 9, 7, ones[:7], 1), rows, 1e-15)
	near(t, product(ones, 1, 9, da, 7), cols, 1e-15)
}

func TestAMatrixThatIsNotRightIsAnError(t *testing.T) {
	t.Parallel()
	right := func() *sparse.CSR[float64] {
		return &sparse.CSR[float64]{Rows: 2, Cols: 3, Ptr: []int32{0, 2, 3}, Col: []int32{0, 2, 1}, Value: []float64{1, 2, 3}}
	}
	require.NoError(t, right().Check())
	for name, change := range map[string]func(a *sparse.CSR[float64]){
		"rows":       func(a *sparse.CSR[float64]) { a.Rows = -1 },
		"bounds":     func(a *sparse.CSR[float64]) { a.Ptr = a.Ptr[:2] },
		"no bounds":  func(a *sparse.CSR[float64]) { a.Ptr = nil },
		"first":      func(a *sparse.CSR[float64]) { a.Ptr[0] = 1 },
		"descends":   func(a *sparse.CSR[float64]) { a.Ptr[1] = 4 },
		"last":       func(a *sparse.CSR[float64]) { a.Ptr[2] = 2 },
		"column":     func(a *sparse.CSR[float64]) { a.Col[1] = 3 },
		"negative":   func(a *sparse.CSR[float64]) { a.Col[0] = -1 },
		"twice":      func(a *sparse.CSR[float64]) { a.Col[1] = 0 },
		"values":     func(a *sparse.CSR[float64]) { a.Value = a.Value[:2] },
		"not sorted": func(a *sparse.CSR[float64]) { a.Col[0], a.Col[1] = 2, 0 },
	} {
		a := right()
		change(a)
		assert.Error(t, a.Check(), name)
		_, err := sparse.NewPattern(a)
		assert.Error(t, err, name)
	}
	_, err := (&sparse.COO[float32]{Rows: 2, Cols: 2, Row: []int32{2}, Col: []int32{0}, Value: []float32{1}}).CSR()
	assert.ErrorContains(t, err, "(2, 0)")
	_, err = right().BSR(2, 2)
	assert.ErrorContains(t, err, "blocks of 2 x 2")
	_, err = right().Mul(make([]float64, 2))
	assert.Error(t, err)
	_, err = right().Product(right())
	assert.Error(t, err)
	_, err = right().Plus(1, right().Transpose())
	assert.Error(t, err)
	_, err = right().Sum(2)
	assert.Error(t, err)
	assert.Error(t, (&sparse.BSR[float64]{Rows: 2, Cols: 2}).Check())
}

func TestAPlaceThatAnInt32CannotHoldIsAnError(t *testing.T) {
	t.Parallel()
	for _, at := range [][2]int{{1<<32 + 1, 0}, {0, -1 << 32}, {1 << 31, 0}} {
		a := &sparse.COO[float64]{Rows: 3, Cols: 3}
		a.Add(at[0], at[1], 1)
		_, err := a.CSR()
		require.ErrorContains(t, err, "outside of 3 x 3", "%v", at)
	}
}

func TestBlocksOfExtentsThatOverflowAreAnError(t *testing.T) {
	t.Parallel()
	b := &sparse.BSR[float64]{BlockRows: 1 << 32, BlockCols: 1 << 32, Ptr: []int32{0}}
	require.Error(t, b.Check())
}

func TestANilMatrixIsAMistake(t *testing.T) {
	t.Parallel()
	_, err := sparse.NewPattern[float32](nil)
	require.ErrorContains(t, err, "nil")
	g := ops.NewGraph("nil")
	sparse.Mul(sparse.Const[float32](g, nil), g.Ones(tensor.Float32, 3))
	require.ErrorContains(t, g.Err(), "nil")
	_, err = sparse.ILU0[float32](nil)
	require.ErrorContains(t, err, "nil")
}

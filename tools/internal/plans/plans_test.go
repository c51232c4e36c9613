package plans

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

func plain() *Plan {
	return &Plan{kinds: []kind{isInt, isFloat, isText}}
}

func table(t *testing.T, ids []int64, x []float64, s []string) *frame.Frame {
	t.Helper()
	f, err := frame.New(frame.Of("id", ids), frame.Of("x", x), frame.Of("s", s))
	require.NoError(t, err)
	return f
}

func TestWhatDiffersIsFound(t *testing.T) {
	p := plain()
	f := table(t, []int64{1, 2}, []float64{0.5, 1}, []string{"a", ""})
	text := func(s string) *string { return &s }
	require.Empty(t, p.Differs(f, [][]*string{{text("2"), text("1.0000000000001"), text("")}, {text("1"), text("0.5"), text("a")}}), "bags of rows, and the last digits of floats")
	require.Contains(t, p.Differs(f, [][]*string{{text("2"), text("1"), nil}, {text("1"), text("0.5"), text("a")}}), "null")
	require.Contains(t, p.Differs(f, nil), "2 rows")
	require.Contains(t, p.Differs(f, [][]*string{{text("1"), text("0.5"), text("a")}, {text("1"), text("0.5"), text("a")}}), "the row")

	require.Empty(t, p.DiffersInOrder(f, f))
	require.Contains(t, p.DiffersInOrder(f, table(t, []int64{2, 1}, []float64{1, 0.5}, []string{"", "a"})), "row 0")
	require.Contains(t, p.DiffersInOrder(f, table(t, []int64{1}, []float64{0.5}, []string{"a"})), "2 rows, not 1")
	other, err := frame.New(frame.Of("id", []int64{1}))
	require.NoError(t, err)
	require.Contains(t, p.DiffersInOrder(f, other), "columns")
}

func TestAPlanRunsOverTheTablesThatItIsFor(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		left, err := Table(r, 0)
		require.NoError(t, err)
		right, err := Table(r, 1)
		require.NoError(t, err)
		require.Equal(t, column.Float64.Of(), left.Column("x0").Type())
		p := New(r, "l", "r")
		f, err := p.Query(left.Query(), right.Query()).Collect(t.Context())
		require.NoError(t, err, "%s", p)
		require.Empty(t, p.DiffersInOrder(f, f))
		require.Contains(t, p.SQL(), "select")
	}
}

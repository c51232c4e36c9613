package frame_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// The validity bitmap of strings is computed in memory that the next part of the rows reuses.
func TestStringsThatBecomeNullStayNull(t *testing.T) {
	t.Parallel()
	a, b := make([]string, 500), make([]string, 500)
	for i := range a {
		a[i], b[i] = fmt.Sprint(i%7), fmt.Sprint(i%5)
	}
	f, err := frame.New(frame.Of("a", a), frame.Of("b", b))
	require.NoError(t, err)
	got, err := f.Query().With(frame.Col("a").NullIf(frame.Col("b")).As("x")).Run(t.Context(), frame.Options{Workers: 1})
	require.NoError(t, err)
	x := got.Frame.Column("x")
	for i := range a {
		require.Equal(t, a[i] == b[i], x.IsNull(i), "row %d: %q and %q", i, a[i], b[i])
		if !x.IsNull(i) {
			require.Equal(t, a[i], x.Text(i))
		}
	}
}

// The type that a choice between literals is cast to need not be the type of any of them.
func TestAChoiceBetweenLiteralsHasTheirType(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("k", []int64{1, -1}))
	require.NoError(t, err)
	is := frame.When(frame.Col("k").Gt(0)).Then(true)
	got, err := f.Query().Select(is.Otherwise(nil).Cast(column.Float64.Of()).As("a"), is.Otherwise(false).Cast(column.Int8.Of()).As("b"),
		frame.When(frame.Col("k").Gt(0)).Then("7").Otherwise(nil).Cast(column.Int64.Of()).As("c")).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []float64{1, 0}, column.Values[float64](got.Column("a")))
	require.True(t, got.Column("a").IsNull(1))
	require.Equal(t, []int8{1, 0}, column.Values[int8](got.Column("b")))
	require.EqualValues(t, 7, column.Values[int64](got.Column("c"))[0])
}

func TestArgMaxOfEqualRowsIsTheFirstOfTheWindow(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("name", []string{"a", "b", "c", "d", "e"}), frame.Of("by", []int64{2, 2, 1, 1, 2}),
		frame.Named{Name: "at", Column: column.OfNullable([]int64{4, 3, 2, 1, 0}, []bool{true, true, true, true, false})})
	require.NoError(t, err)
	got, err := f.Query().Window(frame.Over().OrderBy("at"), frame.ArgMax("name", "by").As("most"), frame.ArgMin("name", "by").As("least"),
		frame.ArgMax("name", "at").As("last")).
		Window(frame.Over(), frame.ArgMax("name", "by").As("table")).Collect(t.Context())
	require.NoError(t, err)
	for i := range 5 {
		require.Equal(t, []string{"b", "d", "a", "a"},
			[]string{got.Column("most").Text(i), got.Column("least").Text(i), got.Column("last").Text(i), got.Column("table").Text(i)})
	}
}

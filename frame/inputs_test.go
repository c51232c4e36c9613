package frame_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestInputsPrepareColumnsInTheGraphOfAModel(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	city, err := column.Of([]string{"Brno", "Oslo", "Brno", "Rome", "Oslo"}).Encode()
	require.NoError(t, err)
	f, err := frame.New(
		frame.Named{Name: "age", Column: column.OfNullable([]int32{20, 0, 40, 50, 60}, []bool{true, false, true, true, true})},
		frame.Of("fare", []float64{0, 1, math.E - 1, 3, 4}),
		frame.Named{Name: "city", Column: city},
		frame.Of("name", []string{"a", "b", "c", "d", "e"}))
	require.NoError(t, err)

	g := ops.NewGraph("model")
	in := frame.NewInputs(g, f.Schema())
	x, err := in.Tensor(tensor.Float32, frame.Col("age").FillNull(30).Div(10), frame.Col("fare").Add(1).Log(), frame.Col("city").Eq("Oslo"),
		"age")
	require.NoError(t, err)
	two, valid, err := in.Column(frame.Col("city").Len().Mul(2))
	require.NoError(t, err)
	require.NotNil(t, valid)
	weights := g.Const(tensor.Must(tensor.FromSlice([]float32{1, 10, 100}, 3, 1)))
	score := ops.MatMul(ops.Narrow(x, 1, 0, 3), weights)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{score, x, two}})
	require.NoError(t, err)
	defer exe.Close()

	start := 0
	for batch := range f.Batches(3) {
		feeds, err := in.Feeds(exe, batch)
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		batch, err = batch.WithTensor(out[0], "score")
		require.NoError(t, err)
		got := column.Values[float32](batch.Column("score"))
		want := []float32{2, 3 + 10*float32(math.Log(2)) + 100, 4 + 10, 5 + 10*float32(math.Log(4)),
			6 + 10*float32(math.Log(5)) + 100}[start : start+batch.Rows()]
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-4)
			require.Equal(t, 8.0, out[2].Float64At(i))
		}
		if start == 0 {
			require.True(t, math.IsNaN(out[1].Float64At(1*4+3)), "null is NaN")
		}
		start += batch.Rows()
	}

	for _, c := range []struct {
		e    frame.Expr
		text string
	}{
		{frame.Col("name").Eq("a"), "no form as ops"},
		{frame.Col("city").Upper(), "no dtype of a tensor"},
		{frame.Col("age").Cast(column.Int8.Of()), "TryCast"},
		{frame.Sum("age"), "aggregate"},
		{frame.Col("nothing"), "there is no column"},
	} {
		_, _, err := in.Column(c.e)
		require.ErrorContains(t, err, c.text)
	}
	_, err = in.Tensor(tensor.Float32)
	require.ErrorContains(t, err, "no columns")
	other, err := frame.New(frame.Of("age", []int64{1}), frame.Of("fare", []float64{1}), frame.Named{Name: "city", Column: city.Slice(0, 1)})
	require.NoError(t, err)
	_, err = in.Feeds(exe, other)
	require.ErrorContains(t, err, `column "age" is int64, the schema has int32`)
	_, err = f.WithTensor(tensor.Must(tensor.New(tensor.Float32, 4, 1)), "p")
	require.ErrorContains(t, err, "5 rows")
}

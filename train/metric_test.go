package train

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func TestMetricsOfKnownScores(t *testing.T) {
	scores := tensor.Must(tensor.FromSlice([]float32{
		0.1, 0.7, 0.2,
		0.5, 0.3, 0.2,
		0.2, 0.2, 0.6,
		0.4, 0.4, 0.2,
	}, 4, 3))
	target := tensor.Must(tensor.FromSlice([]int64{1, 2, 2, 1}))
	a, two := &Accuracy{}, &TopK{K: 2}
	require.True(t, math.IsNaN(a.Value()))
	for range 2 {
		require.NoError(t, a.Add(scores, target))
		require.NoError(t, two.Add(scores, target))
	}
	require.Equal(t, 0.5, a.Value())
	require.Equal(t, 0.75, two.Value(), "the first class of equal ones counts as higher")
	require.Equal(t, "top-2", two.Name())
	a.Reset()
	require.True(t, math.IsNaN(a.Value()))

	m := &MAE{}
	require.NoError(t, m.Add(tensor.Must(tensor.FromSlice([]float32{1, -2})), tensor.Must(tensor.FromSlice([]float32{2, 1}))))
	require.Equal(t, 2., m.Value())
	require.ErrorContains(t, m.Add(scores, target), "[4 3]")
	require.ErrorContains(t, a.Add(target, target), "not [N, classes]")
	require.ErrorContains(t, a.Add(scores, tensor.Must(tensor.FromSlice([]int64{0, 0, 3, 0}))), "target 2 is class 3 of 3")
	require.ErrorContains(t, a.Add(scores, tensor.Must(tensor.FromSlice([]float32{0, 0, 1, 0}))), "not numbers of classes")
}

func TestConfusionAndReportOfKnownCounts(t *testing.T) {
	c := &Confusion{Classes: []string{"cat", "dog"}}
	scores := func(classes ...int) *tensor.Tensor {
		s := tensor.Must(tensor.New(tensor.Float32, len(classes), 3))
		for i, k := range classes {
			s.SetFloat64(3*i+k, 1)
		}
		return s
	}
	require.NoError(t, c.Add(scores(0, 0, 0, 1, 1), tensor.Must(tensor.FromSlice([]int32{0, 0, 1, 1, 1}))))
	require.Equal(t, [][]int{{2, 0, 0}, {1, 2, 0}, {0, 0, 0}}, c.Counts)
	require.Equal(t, 0.8, c.Value())
	require.Equal(t, ""+
		"  target \\ predicted  cat  dog  2\n"+
		"                 cat    2    0  0\n"+
		"                 dog    1    2  0\n"+
		"                   2    0    0  0\n", c.String())
	// By hand: cat 2/3, 2/2, 4/5; dog 2/2, 2/3, 4/5.
	require.Equal(t, ""+
		"                 precision  recall     f1  examples\n"+
		"            cat      0.667   1.000  0.800         2\n"+
		"            dog      1.000   0.667  0.800         3\n"+
		"              2          -       -      -         0\n"+
		"       accuracy                     0.800         5\n"+
		"           mean      0.556   0.556  0.533         5\n"+
		"  weighted mean      0.867   0.800  0.800         5\n", c.Report())
	require.ErrorContains(t, c.Add(tensor.Must(tensor.New(tensor.Float32, 1, 2)), tensor.Must(tensor.New(tensor.Int32, 1))), "2 classes")
	c.Reset()
	require.Nil(t, c.Counts)
}

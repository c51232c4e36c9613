package fallback

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// The sum takes the memory of b, and b that of a: neither may be stored before
// the other is read.
func TestOutputsLieOverInputsThatOthersStillRead(t *testing.T) {
	t.Parallel()
	const f32, n = tensor.Float32, 10_000
	load := func(i int) *engine.Expr { return engine.Load(i, f32, engine.AxisIndex(0), nil) }
	task := mapTaskOf(n, engine.Apply(fnAdd, f32, load(0), load(1)), n, n)
	task.Values = append(task.Values, load(1))
	task.Outs = append(task.Outs, task.Outs[0])
	task.Alias = []int{1, 0}
	a, b := tensor.AlignedBytes(4*n), tensor.AlignedBytes(4*n)
	for i := range int64(n) {
		encode(f32, a, i, value{f: float64(i)})
		encode(f32, b, i, value{f: 0.5})
	}
	for _, e := range []*Engine{New(nil), smallLimits(3)} {
		outs, err := tryTask(t, e, task, 0, a, b)
		require.NoError(t, err)
		for i := range int64(n) {
			require.Equal(t, float64(i)+0.5, decode(f32, outs[0], i).f)
			require.Equal(t, 0.5, decode(f32, outs[1], i).f)
		}
		require.NoError(t, e.Close())
	}
}

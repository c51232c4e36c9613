package numerics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestSoftmaxOfLargeLogitsDoesNotOverflow(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x := opstest.Number(t, g, tensor.Float32, []int{2, 2}, 1e30, 1e30, -1e30, 500)
	y := opstest.Evaluate(t, Softmax(x, 1), LogSoftmax(x, 1))
	assert.Equal(t, []float64{0.5, 0.5, 0, 1}, y[0])
	assert.InDeltaSlice(t, []float64{-math.Ln2, -math.Ln2}, y[1][:2], 1e-7)
	assert.Equal(t, []float64{float64(-float32(1e30)), 0}, y[1][2:])
}

func TestSoftmaxMasksWithInfinityAndPropagatesNaN(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	inf := math.Inf(-1)
	y := opstest.Evaluate(t, Softmax(opstest.Number(t, g, tensor.Float64, []int{3, 2}, inf, 3, inf, inf, math.NaN(), 1), 1))[0]
	assert.Equal(t, []float64{0, 1}, y[:2])
	for _, v := range y[2:] {
		assert.True(t, math.IsNaN(v))
	}
}

func TestSoftmaxOf16BitsSumsInFloat32(t *testing.T) {
	t.Parallel()
	// 70,000 equal logits: the sum is beyond float16, and the quotient is 2^-16.1.
	g := NewGraph("g")
	x := BroadcastTo(g.Full(tensor.Float16, 1), 70000)
	y := opstest.Evaluate(t, Softmax(x, 0))[0]
	assert.Equal(t, tensor.HalfFrom64(1/70000.0).Float64(), y[69999])
}

func TestALabelOutsideTheClassesCountsForNothing(t *testing.T) {
	t.Parallel()
	for _, dt := range []tensor.DType{tensor.Int8, tensor.Int64} {
		g := NewGraph("g")
		logits := opstest.Number(t, g, tensor.Float64, []int{4, 3}, 1, 2, 3, 1, 2, 3, 0, 0, 0, 5, 5, 5)
		labels := opstest.Number(t, g, dt, []int{4}, 2, -1, 3, 0)
		loss := CrossEntropy(logits, labels)
		y := opstest.Evaluate(t, loss, Gradients(loss, logits)[0])
		sum := math.Exp(1) + math.Exp(2) + math.Exp(3)
		want := (math.Log(sum) - 3 + math.Log(3)) / 4 // of rows 0 and 3, over all four
		assert.InDelta(t, want, y[0][0], 1e-15)
		assert.InDeltaSlice(t, []float64{math.Exp(1) / sum / 4, math.Exp(2) / sum / 4, (math.Exp(3)/sum - 1) / 4}, y[1][:3], 1e-15)
		assert.Equal(t, make([]float64, 6), y[1][3:9])
		assert.InDeltaSlice(t, []float64{-2 / 12.0, 1 / 12.0, 1 / 12.0}, y[1][9:], 1e-15)
	}
}

func TestASureAndRightAnswerCostsItsSmallRemainder(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	logits := opstest.Number(t, g, tensor.Float32, []int{1, 2}, 1000, 988)
	y := opstest.Evaluate(t, CrossEntropy(logits, opstest.Number(t, g, tensor.Int32, []int{1}, 0)))[0][0]
	assert.InEpsilon(t, math.Log1p(math.Exp(-12)), y, 0.02) // 1 + e^-12 keeps few bits of e^-12
}

func TestOneHotAndEmbeddingTreatForeignIdsAsZeros(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	ids := opstest.Number(t, g, tensor.Int16, []int{3}, 1, -1, 2)
	table := opstest.Number(t, g, tensor.Float32, []int{2, 2}, 1, 2, 3, 4)
	y := opstest.Evaluate(t, OneHot(ids, 2, tensor.Uint8), Embedding(table, ids))
	assert.Equal(t, []float64{0, 1, 0, 0, 0, 0}, y[0])
	assert.Equal(t, []float64{3, 4, 0, 0, 0, 0}, y[1])
}

func TestBatchNormTrainReportsPopulationStatistics(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x := opstest.Number(t, g, tensor.Float32, []int{2, 2, 2}, 1, 3, 10, 10, 5, 7, 10, 10)
	one, zero := opstest.Number(t, g, tensor.Float32, []int{2}, 1, 1), opstest.Number(t, g, tensor.Float32, []int{2}, 0, 5)
	y, mean, variance := BatchNormTrain(x, one, zero, 0.5)
	r := opstest.Evaluate(t, y, mean, variance)
	s := 1 / math.Sqrt(5.5)
	assert.InDeltaSlice(t, []float64{-3 * s, -1 * s, 5, 5, 1 * s, 3 * s, 5, 5}, r[0], 1e-6)
	assert.Equal(t, []float64{4, 10}, r[1])
	assert.Equal(t, []float64{5, 0}, r[2])
}

func TestNormalisationOf16BitsIsComputedInFloat32(t *testing.T) {
	t.Parallel()
	// The squares of these are beyond float16, and 1e-12 is below it.
	g := NewGraph("g")
	x := opstest.Number(t, g, tensor.Float16, []int{1, 4}, -3000, 1000, 1000, 1000)
	one, zero := g.Full(tensor.Float16, 1, 4), g.Full(tensor.Float16, 0, 4)
	y := opstest.Evaluate(t, LayerNorm(x, one, zero, 1e-12))[0]
	h := func(v float64) float64 { return tensor.HalfFrom64(v).Float64() }
	assert.Equal(t, []float64{h(-math.Sqrt(3)), h(1 / math.Sqrt(3)), h(1 / math.Sqrt(3)), h(1 / math.Sqrt(3))}, y)
}

func TestDropoutKeepsTheExpectationAndItsDerivativeTheMask(t *testing.T) {
	t.Parallel()
	const n, rate = 1 << 16, 0.3
	g := NewGraph("g")
	x := g.Full(tensor.Float32, 2, n)
	y := Dropout(x, rate)
	r := opstest.Evaluate(t, y, Gradients(Sum(y), x)[0])
	kept, scale := 0, float64(float32(1/(1-rate)))
	for i := range r[0] {
		if r[0][i] != 0 {
			kept++
			require.InDelta(t, 2*scale, r[0][i], 1e-6)
			require.InDelta(t, scale, r[1][i], 1e-6)
		} else {
			require.Zero(t, r[1][i])
		}
	}
	sigma := math.Sqrt(n * rate * (1 - rate))
	assert.InDelta(t, n*(1-rate), kept, 5*sigma)
}

func TestDerivativesAtCornersFollowTheConvention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		y     func(x *Node) *Node
		x, dy float64
	}{
		"relu at 0":            {ReLU, 0, 0},
		"relu of NaN":          {ReLU, math.NaN(), 0},
		"abs at 0":             {Abs, 0, 0},
		"maximum at a tie":     {func(x *Node) *Node { return Maximum(x, ScalarLike(x, 1)) }, 1, 0.5},
		"minimum at a tie":     {func(x *Node) *Node { return Minimum(x, ScalarLike(x, 1)) }, 1, 0.5},
		"both sides of a tie":  {func(x *Node) *Node { return Maximum(x, x) }, 1, 1},
		"clip at its limit":    {func(x *Node) *Node { return Clip(x, -1, 1) }, 1, 1},
		"clip inside":          {func(x *Node) *Node { return Clip(x, -1, 1) }, 0.5, 1},
		"leaky relu at 0":      {func(x *Node) *Node { return LeakyReLU(x, 0.25) }, 0, 0.25},
		"elu at 0":             {func(x *Node) *Node { return ELU(x, 1) }, 0, 1},
		"elu far out":          {func(x *Node) *Node { return ELU(x, 1) }, 1000, 1},
		"hardswish at -3":      {HardSwish, -3, 0},
		"hardswish at 3":       {HardSwish, 3, 1},
		"softplus far out":     {Softplus, 1000, 1},
		"silu far below":       {SiLU, -1000, 0},
		"tanh far out":         {Tanh, 400, 0},
		"pow 0 at 0":           {func(x *Node) *Node { return Pow(x, ScalarLike(x, 0)) }, 0, 0},
		"pow 2 at 0":           {func(x *Node) *Node { return Pow(x, ScalarLike(x, 2)) }, 0, 0},
		"exponent of 0":        {func(x *Node) *Node { return Pow(ScalarLike(x, 0), x) }, 2, 0},
		"floor":                {Floor, 1.5, 0},
		"cast there and back":  {func(x *Node) *Node { return Cast(Cast(x, tensor.Float16), tensor.Float64) }, 1.5, 1},
		"atan2 of large sides": {func(x *Node) *Node { return Atan2(x, ScalarLike(x, 1e200)) }, 1e200, 0.5e-200},
		"remainder":            {func(x *Node) *Node { return Rem(ScalarLike(x, 7.5), x) }, 2, -3},
	} {
		g := NewGraph(name)
		x := opstest.Number(t, g, tensor.Float64, []int{}, c.x)
		y := opstest.Evaluate(t, Gradients(c.y(x), x)[0])[0][0]
		assert.InDelta(t, c.dy, y, 1e-15*math.Max(1, math.Abs(c.dy)), name)
		if c.dy != 0 {
			assert.InEpsilon(t, c.dy, y, 1e-12, name)
		}
	}
}

package optest

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

const (
	longRow    = 1 << 22 // values of folds that are over in no time
	longColumn = 1 << 20 // of those that have several side by side, or something in memory
	sumWithin  = 128 + 22
)

// longFolds are the folds of a dtype. Those of float16 and bfloat16 have float32 accumulators, whose errors
// show in their results where a single one would no longer grow: at 2^25 values.
func longFolds(dt tensor.DType) []longFold {
	if dt.Size() == 2 {
		return halfFolds()
	}
	row := func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, longRow) }
	columns := func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, longColumn, 48) }
	times := func(n float64) func(x float64, _ int) float64 {
		return func(x float64, _ int) float64 { return x * n }
	}
	// The first half of a row is x, the other -x.
	signed := func(x *ops.Node, n int) *ops.Node {
		g := x.Graph()
		first := ops.Less(g.Iota(tensor.Int32, 0, n), ops.BroadcastTo(g.Const(tensor.Scalar(int32(n/2))), n))
		return ops.Where(first, ops.BroadcastTo(x, n), ops.BroadcastTo(ops.Neg(x), n))
	}
	ones := func(x *ops.Node, shape ...int) *ops.Node { return x.Graph().Full(x.DType(), 1, shape...) }
	ids := func(x *ops.Node) *ops.Node { return x.Graph().Full(tensor.Int32, 1, longColumn) }
	factor := 1 + 2*unitOf(dt) // every product with it is between two numbers
	if dt == tensor.Float64 {
		factor = 1.0000001
	}
	all := []longFold{
		{"sum of a row", 0.1, func(x *ops.Node) *ops.Node { return ops.Sum(row(x)) }, times(longRow), sumWithin},
		{"sums of columns", 0.1, func(x *ops.Node) *ops.Node { return ops.Sum(columns(x), 0) }, times(longColumn), sumWithin},
		{"mean", 0.1, func(x *ops.Node) *ops.Node { return ops.Mean(row(x)) }, times(1), sumWithin},
		{"norm", 0.1, func(x *ops.Node) *ops.Node { return ops.Sqrt(ops.Sum(ops.Square(row(x)))) }, times(math.Sqrt(longRow)), sumWithin},
		{"variance", 0.1, func(x *ops.Node) *ops.Node { return ops.Variance(signed(x, longRow)) },
			func(x float64, _ int) float64 { return x * x }, 2 * sumWithin},
		{"log-sum-exp", 0.1, func(x *ops.Node) *ops.Node { return ops.LogSumExp(row(x)) },
			func(x float64, _ int) float64 { return x + math.Log(longRow) }, sumWithin},
		{
			"softmax", 1, func(x *ops.Node) *ops.Node {
				return ops.Slice(ops.Softmax(signed(x, longColumn), 0), ops.Range{Stop: 5})
			},
			func(x float64, _ int) float64 { return 2 / (1 + math.Exp(-2*x)) / longColumn }, 2 * sumWithin,
		},
		{
			"batch norm statistics", 0.1, func(x *ops.Node) *ops.Node {
				_, mean, _ := ops.BatchNormTrain(columns(x), ones(x, 48), ones(x, 48), 1e-3)
				return mean
			}, times(1), sumWithin,
		},
		{"product", factor, func(x *ops.Node) *ops.Node { return ops.Prod(row(x)) },
			func(x float64, _ int) float64 { return math.Exp(longRow * math.Log1p(x-1)) }, 64},
		{"products of columns", factor, func(x *ops.Node) *ops.Node { return ops.Prod(columns(x), 0) },
			func(x float64, _ int) float64 { return math.Exp(longColumn * math.Log1p(x-1)) }, 64},
		{"running sums", 0.1, func(x *ops.Node) *ops.Node { return ops.CumSum(ops.BroadcastTo(x, longColumn), 0, nil) },
			func(x float64, i int) float64 { return x * float64(i+1) }, sumWithin},
		{"running sums of columns", 0.1, func(x *ops.Node) *ops.Node { return ops.CumSum(ops.BroadcastTo(x, longColumn, 2), 0, nil) },
			func(x float64, i int) float64 { return x * float64(i/2+1) }, sumWithin},
		{
			"scatter-add", 0.1, func(x *ops.Node) *ops.Node {
				return ops.Slice(ops.ScatterAdd(ones(x, 3), 0, ids(x), ops.BroadcastTo(x, longColumn)), ops.Range{Start: 1, Stop: 2})
			}, func(x float64, _ int) float64 { return 1 + x*longColumn }, sumWithin,
		},
		{
			"gradient of an embedding", 0.1, func(x *ops.Node) *ops.Node {
				table := ones(x, 3, 4)
				y := ops.Sum(ops.Mul(ops.Embedding(table, ids(x)), ops.BroadcastTo(x, longColumn, 4)))
				return ops.Slice(ops.Gradients(y, table)[0], ops.Range{Start: 1, Stop: 2})
			}, times(longColumn), sumWithin,
		},
		{
			"gradient of a broadcast", 0.1, func(x *ops.Node) *ops.Node {
				b := ones(x, 3)
				return ops.Gradients(ops.Sum(ops.Mul(ops.BroadcastTo(b, longColumn, 3), ops.BroadcastTo(x, longColumn, 3))), b)[0]
			}, times(longColumn), sumWithin,
		},
		{"dot product", 0.1, func(x *ops.Node) *ops.Node { return ops.MatMul(ops.BroadcastTo(x, 1, longRow), ones(x, longRow, 1)) },
			times(longRow), sumWithin},
		{"matrix product", 0.1, func(x *ops.Node) *ops.Node {
			return ops.MatMul(ops.BroadcastTo(x, 9, longColumn), ones(x, longColumn, 33))
		}, times(longColumn), sumWithin},
	}
	return all
}

func halfFolds() []longFold {
	const n, x = 1 << 25, 0x1.ap-12
	sum := func(x float64, _ int) float64 { return x * n }
	return []longFold{
		{"sum of a row", x, func(x *ops.Node) *ops.Node { return ops.Sum(ops.BroadcastTo(x, n)) }, sum, sumWithin},
		{"mean", x, func(x *ops.Node) *ops.Node { return ops.Mean(ops.BroadcastTo(x, n)) }, func(x float64, _ int) float64 { return x },
			sumWithin},
		{"sums of columns", x, func(x *ops.Node) *ops.Node { return ops.Sum(ops.BroadcastTo(x, n/2, 4), 0) },
			func(x float64, _ int) float64 { return x * n / 2 }, sumWithin},
		{"dot product", x, func(x *ops.Node) *ops.Node {
			return ops.MatMul(ops.BroadcastTo(x, 1, n), x.Graph().Full(x.DType(), 1, n, 1))
		}, sum, sumWithin},
	}
}

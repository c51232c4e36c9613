package numerics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// TestNumbersAreOperandsOfTheOthersDType: a Go number has the dtype of the node beside it, and one that does not fit is a mistake.
func TestNumbersAreOperandsOfTheOthersDType(t *testing.T) {
	type celsius float64
	g := NewGraph("numbers")
	x := g.Input("x", tensor.Float32, 3)
	k := g.Input("k", tensor.Uint64, 2)
	b := g.Input("b", tensor.Bool, 2)
	good := []*Node{
		Add(x, 1.5), Add(2, x), Mul(celsius(0.1), x), Sub(x, math.NaN()), Div(x, uint8(3)), Pow(x, int64(2)), Maximum(x, math.Inf(-1)),
		Less(x, 1e300), Where(Greater(x, 0), x, 0), Where(b, 7, k), Add(k, uint64(math.MaxUint64)), Add(k, 9007199254740993.0), Sub(k, 1<<40),
		And(b, true), Equal(b, false), ShiftLeft(k, 3), Atan2(1, x), Rem(x, 2.5), Min(Add(x, int8(-1))),
	}
	if err := g.Err(); err != nil {
		t.Fatal(err)
	}
	for i, n := range good {
		if opstest.Failed(n) || n.Graph() != g {
			t.Errorf("%d: %v", i, n)
		}
	}
	if c := good[10].Operands()[1].Attr().(*tensor.Tensor); tensor.Must(tensor.Cast(c, tensor.Uint64)).String() != tensor.Scalar(uint64(math.MaxUint64)).String() {
		t.Errorf("the largest uint64 became %v", c)
	}
	for _, c := range []struct {
		build func(g *Graph, x *Node) *Node
		dt    tensor.DType
		want  string
	}{
		{func(_ *Graph, x *Node) *Node { return Add(x, 1.5) }, tensor.Int32, "the number 1.5 is not a whole number for int32"},
		{func(_ *Graph, x *Node) *Node { return Add(x, math.NaN()) }, tensor.Int32, "NaN is not a whole number"},
		{func(_ *Graph, x *Node) *Node { return Add(x, -1) }, tensor.Uint8, "-1 is not within the range of uint8"},
		{func(_ *Graph, x *Node) *Node { return Add(300, x) }, tensor.Uint8, "300 is not within the range of uint8"},
		{func(_ *Graph, x *Node) *Node { return Add(x, uint64(1<<63)) }, tensor.Int64, "is not within the range of int64"},
		{func(_ *Graph, x *Node) *Node { return Add(x, -1) }, tensor.Uint64, "is not within the range of uint64"},
		{func(_ *Graph, x *Node) *Node { return Add(x, 1e30) }, tensor.Int64, "is not within the range of int64"},
		{func(_ *Graph, x *Node) *Node { return And(x, 1) }, tensor.Bool, "1 is not a bool"},
		{func(_ *Graph, x *Node) *Node { return Equal(x, true) }, tensor.Float32, "true is not a float32"},
		{func(_ *Graph, x *Node) *Node { return Where(Equal(x, x), 1, 2) }, tensor.Float32, "no operand is a node"},
	} {
		g := NewGraph("mistake")
		n := Add(c.build(g, g.Input("x", c.dt, 2)), g.Input("y", c.dt, 2))
		if err := g.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "number_test.go") {
			t.Errorf("%v: %v, want %q", n, err, c.want)
		}
	}
}

// TestKeepDimsPutsAxesBack: of every reduction, also over none and of all axes; what is no reduction is a mistake.
func TestKeepDimsPutsAxesBack(t *testing.T) {
	g := NewGraph("keep")
	x := g.Input("x", tensor.Float32, 2, 3, 5)
	s := g.Input("s", tensor.Float32)
	for i, c := range []struct {
		n    *Node
		want []int
	}{
		{KeepDims(Sum(x)), []int{1, 1, 1}}, {KeepDims(Sum(x, []int{}...)), []int{2, 3, 5}}, {KeepDims(Mean(x, -1)), []int{2, 3, 1}},
		{KeepDims(ArgMax(x, 1)), []int{2, 1, 5}}, {KeepDims(LogSumExp(x, 2, 0)), []int{1, 3, 1}}, {KeepDims(Max(s, 0)), nil}, {KeepDims(Sum(s, -1)), nil},
	} {
		if !slices.Equal(c.n.Shape(), c.want) || opstest.Failed(c.n) {
			t.Errorf("%d: %v, want %v", i, c.n, c.want)
		}
	}
	if err := g.Err(); err != nil {
		t.Error(err)
	}
	KeepDims(Add(x, x))
	if err := g.Err(); err == nil || !strings.Contains(err.Error(), "no result of a reduction") {
		t.Error(err)
	}
}

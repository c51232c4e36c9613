package optest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// LongFolds is how many checks [LongFoldError] has: one for each dtype of floats.
var LongFolds = len(longDTypes)

var longDTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16}

// TestLongFolds checks long folds of the first n dtypes of floats on e, see [LongFoldError].
func TestLongFolds(t *testing.T, e engine.Engine, n int) {
	for i, dt := range longDTypes[:n] {
		t.Run(dt.String(), func(t *testing.T) {
			if err := LongFoldError(t.Context(), e, uint64(i)); errors.Is(err, engine.ErrUnsupported) || errors.Is(err, ErrKnown) {
				t.Skip(err)
			} else if err != nil {
				t.Fatalf("%v\n%s", err, again(t))
			}
		})
	}
}

// LongFoldError says which folds over millions of values of a dtype, the seed-th of floats, are off by more
// than package ops promises: sums, products, means and functions of these, running sums, scatter-adds,
// contractions, and gradients that are such sums. The values are one number, which rounds the same way
// again and again: in one float32 after the other a sum of 2^20 would be off by a hundredth. They are
// broadcast, so that nearly nothing is in memory. It is engine.ErrUnsupported where e lacks the dtype.
func LongFoldError(ctx context.Context, e engine.Engine, seed uint64) (err error) {
	dt := longDTypes[seed%uint64(len(longDTypes))]
	ctx = withGraph(ctx, "long folds "+dt.String())
	g := ops.NewGraph("long folds")
	folds := longFolds(dt)
	feeds := ops.Feeds{}
	var outs []*ops.Node
	for i, f := range folds {
		x, v := g.Input(fmt.Sprint("x", i), dt, 1), tensor.Must(tensor.New(dt, 1))
		v.SetFloat64(0, f.x)
		folds[i].x = v.Float64At(0) // as the dtype has it
		feeds[x] = v
		outs = append(outs, f.build(x))
	}
	exe, err := g.Compile(ctx, ops.NewRuntime(e), ops.Target{Outputs: outs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	got, err := exe.Run(ctx, feeds)
	if err != nil {
		return err
	}
	for i, f := range folds {
		err = errors.Join(err, f.check(dt, got[i]))
	}
	return err
}

// longFold is a fold of many times x. Element i of its result should be want of x and i.
type longFold struct {
	what   string
	x      float64
	build  func(x *ops.Node) *ops.Node
	want   func(x float64, i int) float64
	within float64 // units in the last place, of the accumulator
}

// check compares every element.
func (f *longFold) check(dt tensor.DType, got *tensor.Tensor) error {
	for i, v := range got.All() {
		want := f.want(f.x, i)
		off := math.Abs(v-want) / math.Abs(want)
		if bound := f.within*unitOf(engine.AccType(dt)) + unitOf(dt); !(off <= bound) {
			return fmt.Errorf("%s, %v: element %d is %v, not %v: off by %.2g of it, and should be by %.2g at most", f.what, dt, i, v, want, off,
				bound)
		}
	}
	return nil
}

// unitOf is half a unit in the last place of 1.
func unitOf(dt tensor.DType) float64 {
	return map[tensor.DType]float64{tensor.Float64: 0x1p-53, tensor.Float32: 0x1p-24, tensor.Float16: 0x1p-11, tensor.BFloat16: 0x1p-8}[dt]
}

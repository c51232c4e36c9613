package optest_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// wrong is an engine whose results, taken for float32, are all 1 % too large.
type wrong struct{ engine.Engine }

func (w wrong) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	err := w.Engine.Read(ctx, dst, src, offset)
	for ; len(dst) >= 4; dst = dst[4:] {
		v := math.Float32frombits(binary.NativeEndian.Uint32(dst))
		binary.NativeEndian.PutUint32(dst, math.Float32bits(1.01*v))
	}
	return err
}

// recorder keeps failures from failing a test.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Errorf(string, ...any) { r.failures++ }

// The graphs of these seeds have derivatives that are not 0 throughout: those would be right in a wrong engine too.
func TestWrongGradientsAreFoundWhereSumsCancelToo(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for _, seed := range []uint64{1, 3, 5, 7, 11, 13, 15, 17, 19, 21, 23, 25, 27} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			optest.CheckGraphGradients(t, e, e, seed)
			r := &recorder{TB: t}
			optest.CheckGraphGradients(r, wrong{e}, e, seed)
			require.Positive(t, r.failures)
		})
	}
}

// rounding is an engine whose sums of float32 are off by a rounding error of terms between 2 and 4.
type rounding struct{ engine.Engine }

func (r rounding) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	off := &engine.Scalar{Name: "off", Arity: 1, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		for i, v := range args[0].F32 {
			dst.F32[i] = v + 0x1p-22
		}
	}}
	tasks = slices.Clone(tasks)
	for i, b := range tasks {
		if b.Task.Kind == engine.Reduce && b.Task.Outs[0].DType == tensor.Float32 {
			task := *b.Task
			task.Values = slices.Clone(task.Values)
			task.Values[0] = engine.Apply(off, tensor.Float32, task.Values[0])
			tasks[i].Task = &task
		}
	}
	return r.Engine.Prepare(ctx, tasks)
}

// The graph of this seed has a sum that is zero, and exact on the CPU path. On another engine it need not be.
func TestASumThatCancelsMayBeInexact(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	optest.CheckGraphGradients(t, rounding{e}, e, 67)
}

// nudged is an engine whose tanh of float32 is one unit of rounding too small.
type nudged struct{ engine.Engine }

func (n nudged) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	tasks = slices.Clone(tasks)
	for i, b := range tasks {
		tasks[i].Task = b.Task.Rewrite(func(e *engine.Expr) *engine.Expr {
			return e.Rewrite(func(e *engine.Expr) *engine.Expr {
				if e.Op != engine.OpApply || e.Fn.Name != "tanh" || e.DType != tensor.Float32 {
					return e
				}
				off := *e.Fn
				off.Host = func(dt tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
					e.Fn.Host(dt, in, dst, args)
					for k, v := range dst.F32 {
						dst.F32[k] = math.Nextafter32(v, 0)
					}
				}
				return engine.Apply(&off, e.DType, e.Args...)
			})
		})
	}
	return n.Engine.Prepare(ctx, tasks)
}

// The graph of this seed sums the slopes of tanh where it is close to 1.
func TestASlopeThatIsADifferenceFromTheResultMayBeInexact(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	optest.CheckGraphGradients(t, nudged{e}, e, 1820009)
}

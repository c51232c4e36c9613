package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/calibrate"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/tensor"
)

// CalibrationResult is how long one op takes on one engine.
type CalibrationResult = calibrate.Result

// probe is a graph of one op, its operands in variables.
type probe struct {
	name  string
	build func(in func(dt tensor.DType, shape ...int) *Node) *Node
}

// probes are the families of work at a few sizes.
func probes() (all []probe) {
	add := func(name string, f func(in func(dt tensor.DType, shape ...int) *Node) *Node) {
		all = append(all, probe{name, f})
	}
	type makes = func(dt tensor.DType, shape ...int) *Node
	for _, n := range []int{1 << 6, 1 << 12, 1 << 18, 1 << 21} {
		add(fmt.Sprintf("add %d", n), func(in makes) *Node { return Add(in(tensor.Float32, n), in(tensor.Float32, n)) })
		add(fmt.Sprintf("exp %d", n), func(in makes) *Node { return Exp(in(tensor.Float32, n)) })
	}
	for _, n := range []int{16, 256, 1024} {
		add(fmt.Sprintf("sum %dx%d", n, n), func(in makes) *Node { return Sum(in(tensor.Float32, n, n), -1) })
		add(fmt.Sprintf("sum of columns %dx%d", n, n), func(in makes) *Node { return Sum(in(tensor.Float32, n, n), 0) })
		add(fmt.Sprintf("softmax %dx%d", n, n), func(in makes) *Node { return Softmax(in(tensor.Float32, n, n), -1) })
		add(fmt.Sprintf("transpose %dx%d", n, n), func(in makes) *Node { return Transpose(in(tensor.Float32, n, n)) })
		add(fmt.Sprintf("gemv %d", n), func(in makes) *Node { return MatMul(in(tensor.Float32, 1, n), in(tensor.Float32, n, n)) })
	}
	for _, n := range []int{8, 64} {
		add(fmt.Sprintf("transpose of rows %dx%d", n, n), func(in makes) *Node { return Transpose(in(tensor.Float32, n, n, 64), 1, 0, 2) })
	}
	for _, n := range []int{64, 512} {
		add(fmt.Sprintf("argmax of columns %dx%d", n, n), func(in makes) *Node { return ArgMax(in(tensor.Float32, n, n), 0) })
	}
	for _, n := range []int{4, 16, 64, 192, 512} {
		add(fmt.Sprintf("matmul %d", n), func(in makes) *Node { return MatMul(in(tensor.Float32, n, n), in(tensor.Float32, n, n)) })
	}
	for _, dt := range []tensor.DType{tensor.Float64, tensor.Float16, tensor.Int8, tensor.Int64} {
		for _, n := range []int{1 << 10, 1 << 17} {
			add(fmt.Sprintf("add %s %d", dt, n), func(in makes) *Node { return Add(in(dt, n), in(dt, n)) })
		}
		add(fmt.Sprintf("max %s 128x512", dt), func(in makes) *Node { return Max(in(dt, 128, 512), -1) })
	}
	for _, n := range []int{24, 160} {
		add(fmt.Sprintf("matmul float16 %d", n), func(in makes) *Node { return MatMul(in(tensor.Float16, n, n), in(tensor.Float16, n, n)) })
		add(fmt.Sprintf("matmul int8 %d", n), func(in makes) *Node {
			return MatMulInteger(in(tensor.Int8, n, n), in(tensor.Int8, n, n), nil,
				nil)
		})
	}
	for _, n := range []int{4, 32} {
		add(fmt.Sprintf("batched %d", n), func(in makes) *Node { return MatMul(in(tensor.Float32, 64, n, n), in(tensor.Float32, 64, n, n)) })
	}
	for _, n := range []int{500, 40000} {
		add(fmt.Sprintf("gather %d", n), func(in makes) *Node { return Gather(in(tensor.Float32, 1000, 16), 0, in(tensor.Int64, n)) })
	}
	for _, n := range []int{1 << 10, 1 << 15, 1 << 19} {
		add(fmt.Sprintf("cumsum %d", n), func(in makes) *Node { return CumSum(in(tensor.Float32, n), 0, nil) })
		add(fmt.Sprintf("sort %d", n), func(in makes) *Node { return ArgSort(in(tensor.Float32, n), 0, nil) })
	}
	for _, n := range []int{1 << 15, 1 << 19} {
		add(fmt.Sprintf("top_k %d", n), func(in makes) *Node { values, _ := TopK(in(tensor.Float32, n), 32, 0, nil); return values })
	}
	add("sort 512x64", func(in makes) *Node { return ArgSort(in(tensor.Float32, 512, 64), 1, nil) })
	add("matmul float64 192", func(in makes) *Node { return MatMul(in(tensor.Float64, 192, 192), in(tensor.Float64, 192, 192)) })
	for _, n := range []int{64, 2048} {
		add(fmt.Sprintf("trees %d", n), func(in makes) *Node { return TreeRegress(in(tensor.Float32, n, 16), stumps(64, 16)) })
	}
	for _, n := range []int{16, 96} {
		add(fmt.Sprintf("attention %d", n), func(in makes) *Node {
			return Attention(in(tensor.Float32, 1, 4, n, 32), in(tensor.Float32, 1, 4, n, 32), in(tensor.Float32, 1, 4, n, 32), nil)
		})
	}
	for _, n := range []int{64, 4096} {
		add(fmt.Sprintf("scatter_add %d", n), func(in makes) *Node {
			return ScatterAdd(in(tensor.Float32, 512, 16), 0, in(tensor.Int64, n), in(tensor.Float32, n, 16))
		})
	}
	for _, n := range []int{1 << 8, 1 << 15} {
		add(fmt.Sprintf("unique %d", n), func(in makes) *Node { return Unique(in(tensor.Int64, n), nil).Values })
	}
	for _, n := range []int{1 << 8, 1 << 11} {
		add(fmt.Sprintf("suppress %d", n), func(in makes) *Node {
			selected, _ := NonMaxSuppression(in(tensor.Float32, 1, n, 4), in(tensor.Float32, 1, 4, n), &SuppressOptions{IoU: 0.5})
			return selected
		})
	}
	add("conv2d 8x8", func(in makes) *Node {
		return Conv2D(in(tensor.Float32, 1, 3, 10, 10), in(tensor.Float32, 8, 3, 3, 3), Conv2DOptions{})
	})
	for _, c := range []int{4, 32} {
		add(fmt.Sprintf("conv2d %d channels", c), func(in makes) *Node {
			return Conv2D(in(tensor.Float32, 1, c, 32, 32), in(tensor.Float32, c, c, 3, 3), Conv2DOptions{Pad: [2]int{1, 1}})
		})
	}
	return all
}

// stumps are n trees of two questions.
func stumps(n, features int) *TreeEnsemble {
	e := &TreeEnsemble{}
	for i := range n {
		leaf := func(v float64) TreeNode { return TreeNode{Mode: TreeLeaf, Weights: []TreeWeight{{Value: v}}} }
		e.Trees = append(e.Trees, []TreeNode{
			{Feature: i % features, Value: 0.01 * float64(i-n/2), True: 1, False: 2}, leaf(0.5),
			{Feature: (i + 1) % features, True: 3, False: 4}, leaf(-0.25), leaf(0.125),
		})
	}
	return e
}

// Calibrate measures the device and the CPU path anew and forgets earlier measurements and corrections: the
// device's latencies and rates, then ops of every family at a few sizes on both, in about two seconds
// once the driver has compiled their kernels. It should have the machine to itself. Everything
// is kept for this device and its driver.
// Errors: ctx is done; the device failed.
func (rt *Runtime) Calibrate(ctx context.Context) (results []CalibrationResult, err error) {
	if err := errors.Join(rt.usable("calibrate"), rt.await(ctx)); err != nil {
		return nil, err
	}
	if err := rt.Settle(ctx); err != nil {
		return nil, err
	}
	if rt.opened != nil {
		if _, err := rt.opened.Calibrate(ctx); err != nil {
			return nil, err
		}
		rt.recalibrated()
	}
	rt.exec.Pace.Forget()
	all, err := rt.compileProbes(ctx)
	defer func() {
		for _, p := range all {
			err = errors.Join(err, p.Executor.Close())
		}
	}()
	if err != nil {
		return nil, err
	}
	if results, err = calibrate.Measure(ctx, all); err != nil {
		return nil, err
	}
	if rt.opened != nil {
		var kept pace.Table
		rt.exec.Pace.Merge(&kept)
		rt.opened.KeepLearned(&kept)
	}
	return results, nil
}

// compileProbes makes every probe wherever it can run, also where there is an error: they are to be closed.
func (rt *Runtime) compileProbes(ctx context.Context) (all []*calibrate.Probe, err error) {
	for _, p := range probes() {
		for i, e := range rt.engines() {
			where := OnDevice
			if i == len(rt.engines())-1 {
				where = OnCPU
			}
			exe, err := rt.compileProbe(ctx, p, where)
			if errors.Is(err, engine.ErrUnsupported) {
				continue
			}
			if err != nil {
				return all, fmt.Errorf("ops: calibrate %s on %s: %w", p.name, e.Name(), err)
			}
			all = append(all, &calibrate.Probe{Name: p.name, Executor: exe.executor})
		}
	}
	return all, nil
}

// compileProbe makes a graph of one op in one place.
func (rt *Runtime) compileProbe(ctx context.Context, p probe, where Place) (*Executable, error) {
	g := NewGraph(p.name)
	y := p.build(func(dt tensor.DType, shape ...int) *Node {
		values := make([]float32, ir.Product(shape))
		for i := range values {
			if values[i] = float32(i%17-8) / 16; dt.IsInt() {
				values[i] = float32(i * 37 % 101)
			}
		}
		t, err := tensor.FromSlice(values, shape...)
		if err == nil {
			t, err = tensor.Cast(t, dt)
		}
		if err != nil {
			return g.fail("variable", nil, err)
		}
		return g.Variable(fmt.Sprint(shape), t)
	})
	zero, err := tensor.New(y.dtype, y.shape...)
	if err != nil {
		return nil, err
	}
	return g.Compile(ctx, rt, Target{Updates: []*Node{Assign(g.Variable("result", zero), y)}, Place: where})
}

// recalibrated lets predictions rest on the newest measurements.
func (rt *Runtime) recalibrated() {
	rt.opened.Recalibrated()
	for _, x := range rt.executables() {
		x.executor.Reprice()
	}
}

// Settle returns when the runtime has done its background work after Open: on a machine
// where a device is new, measuring it, which takes a few seconds and no longer waits for a quiet moment. Only who
// measures wants to wait for that. Errors: ctx's; rt is closed (is ErrClosed).
func (rt *Runtime) Settle(ctx context.Context) error {
	if err := rt.usable("settle"); err != nil {
		return err
	}
	if err := alive(ctx); err != nil {
		return err
	}
	if err := rt.await(ctx); err != nil {
		return err
	}
	return rt.beside.Wait(ctx)
}

// activity looks at the runtime's executables, without slowing their runs.
func (rt *Runtime) activity() (a calibrate.Activity) {
	a.Compiles = rt.compiles.Load()
	a.Busy = rt.compiling.Load() > 0
	rt.mu.Lock()
	defer rt.mu.Unlock()
	a.Graphs = len(rt.live)
	for x := range rt.live {
		runs, busy := x.executor.Activity()
		a.Runs += uint64(runs)
		a.Busy = a.Busy || busy
	}
	return a
}

// begins notes that a caller compiles something, until the function returned is called.
func (rt *Runtime) begins() (ends func()) {
	rt.compiles.Add(1)
	rt.compiling.Add(1)
	return func() { rt.compiling.Add(-1) }
}

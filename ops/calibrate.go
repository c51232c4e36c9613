package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/tensor"
)

// CalibrationResult is how long one op takes on one engine.
type CalibrationResult struct {
	Name      string        `json:"name"` // op and size
	Where     string        `json:"where"`
	Predicted time.Duration `json:"predicted_ns"` // by rates alone
	Measured  time.Duration `json:"measured_ns"`
}

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
		add(fmt.Sprintf("matmul int8 %d", n), func(in makes) *Node { return MatMulInteger(in(tensor.Int8, n, n), in(tensor.Int8, n, n), nil, nil) })
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

// stumps are so many trees of two questions.
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

// Calibrate measures the device and the CPU path anew and forgets what was learned before: the
// device's latencies and rates, then ops of every family at a few sizes on both, in about two seconds
// once the driver has compiled their kernels. It should have the machine to itself. Everything
// is kept for this device and its driver.
// Errors: ctx is done; the device failed.
func (rt *Runtime) Calibrate(ctx context.Context) (results []CalibrationResult, err error) {
	if err := rt.usable("calibrate"); err != nil {
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
	rt.pace.Forget()
	all, err := rt.probing(ctx)
	defer func() {
		for _, p := range all {
			err = errors.Join(err, p.exe.Close())
		}
	}()
	if err != nil {
		return nil, err
	}
	// Round by round: what else the machine does comes and goes, within milliseconds and within
	// seconds, and should fill no more than one round of a probe.
	for range probeTimes {
		for _, p := range all {
			if err := p.measure(ctx); err != nil {
				return nil, err
			}
		}
	}
	var out []CalibrationResult
	for _, p := range all {
		out = append(out, p.teach())
	}
	if rt.opened != nil {
		var kept pace.Table
		rt.pace.Merge(&kept)
		rt.opened.KeepLearned(&kept)
	}
	return out, nil
}

// probeTime is how long a probe runs in each of so many rounds, of which the middle one counts.
const (
	probeTime  = 2 * time.Millisecond
	probeTimes = 3
)

// probing is a probe in one place.
type probing struct {
	name  string
	exe   *Executable
	times []time.Duration
}

// probing is every probe wherever it can run, also where there is an error: they are to be closed.
func (rt *Runtime) probing(ctx context.Context) (all []*probing, err error) {
	for _, p := range probes() {
		for s := range rt.engines {
			where := OnDevice
			if s == len(rt.engines)-1 {
				where = OnCPU
			}
			exe, err := rt.compileProbe(ctx, p, where)
			if errors.Is(err, engine.ErrUnsupported) {
				continue
			}
			if err != nil {
				return all, fmt.Errorf("ops: calibrate %s on %s: %w", p.name, rt.engines[s].Name(), err)
			}
			all = append(all, &probing{name: p.name, exe: exe})
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

// measure is one round.
func (p *probing) measure(ctx context.Context) error {
	p.exe.clock.Reset()
	for start := time.Now(); ; {
		if err := p.exe.RunInto(ctx, nil, nil); err != nil {
			return fmt.Errorf("ops: calibrate %s: %w", p.name, err)
		}
		if took, runs := p.exe.clock.Median(); runs >= enough/2 && time.Since(start) > probeTime {
			p.times = append(p.times, took)
			return nil
		}
	}
}

// teach corrects predictions by what was measured.
func (p *probing) teach() (r CalibrationResult) {
	x := p.exe
	slices.Sort(p.times)
	side := x.plan.Choices[0].Side
	raw, link := newPriced(x.sides[side].engine, distinct(x.units), nil).Of(ir.Range(0, len(x.units)))
	r = CalibrationResult{Name: p.name, Where: x.sides[side].engine.Name(), Predicted: x.ownTime() + link.Wait, Measured: p.times[probeTimes/2]}
	for _, d := range raw {
		r.Predicted += d
	}
	x.learnFrom(r.Measured, true)
	return r
}

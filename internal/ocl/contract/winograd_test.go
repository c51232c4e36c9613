package contract_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

func winogradTasks() map[string]*engine.Task {
	f := tensor.Float32
	return map[string]*engine.Task{
		"even":             sample.ChannelsLast(f, 1, 1, 16, 6, 8, 32, false),
		"odd":              sample.ChannelsLast(f, 2, 1, 21, 5, 7, 37, false),
		"odd, along rows":  sample.ChannelsLast(f, 2, 1, 17, 3, 37, 37, true),
		"narrow":           sample.ChannelsLast(f, 3, 1, 40, 2, 3, 5, true),
		"groups":           sample.ChannelsLast(f, 2, 3, 18, 5, 4, 20, false),
		"groups, along":    sample.ChannelsLast(f, 2, 2, 18, 5, 19, 20, true),
		"biased":           sample.Biased(sample.ChannelsLast(f, 1, 1, 33, 8, 9, 40, false)),
		"halves":           sample.ChannelsLast(tensor.Float16, 1, 1, 17, 5, 6, 33, false),
		"bfloat16, along":  sample.ChannelsLast(tensor.BFloat16, 1, 1, 18, 5, 33, 9, true),
		"doubles":          sample.ChannelsLast(tensor.Float64, 1, 1, 19, 9, 10, 20, false),
		"many channels":    sample.ChannelsLast(f, 1, 1, 300, 3, 4, 20, false),
		"few channels":     sample.ChannelsLast(f, 1, 1, 2, 12, 13, 16, false),
		"many, along rows": sample.ChannelsLast(f, 1, 1, 70, 9, 5, 70, true),
	}
}

func TestWindowsOfThreeByThreeTakeFewerMultiplications(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	little := ocltest.CPU(8)
	little.LocalMem = 64 << 10
	far := ocltest.CPU(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": ocltest.CPU(16), "8 lanes, little memory": little, "4 lanes": ocltest.CPU(4),
		"long positions": far}
	for name, task := range winogradTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := ocltest.RandomInputs(task, 3)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			for on, d := range devices {
				if on != "16 lanes" && name != "odd" && name != "odd, along rows" {
					continue
				}
				t.Run(on, func(t *testing.T) {
					p, err := variant.MakePlan(d, nil, task, "contract=winograd")
					require.NoError(t, err)
					require.Equal(t, "winograd", p.Variant)
					r := b.Prepare(t, task, p, ins)
					r.Run(t)
					ocltest.RequireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.Read(t))
				})
			}
		})
	}
}

// Other windows have no such way: the variant is not forced on them.
func TestOtherWindowsAreNotWinograds(t *testing.T) {
	t.Parallel()
	ints := sample.ChannelsLast(tensor.Int32, 1, 1, 16, 6, 8, 32, false)
	for name, task := range map[string]*engine.Task{
		"integers":      ints,
		"channels":      sample.Convolution(1, 1, 16, 9, 9, 16, 3, 1, 1),
		"a stride":      strided(sample.ChannelsLast(tensor.Float32, 1, 1, 16, 7, 7, 16, false)),
		"one product":   sample.Matmul(tensor.Float32, 1, 64, 64, 144, false, false),
		"five by five":  sample.Convolution(1, 1, 16, 9, 9, 16, 5, 1, 1),
		"no windows":    sample.Matmul(tensor.Float32, 2, 9, 9, 9, true, false),
		"an empty sum":  sample.Matmul(tensor.Float32, 1, 9, 9, 0, true, false),
		"single window": sample.ChannelsLast(tensor.Float32, 1, 1, 16, 1, 1, 32, false),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "contract=winograd")
			require.NoError(t, err)
			require.NotEqual(t, "winograd", p.Variant)
		})
	}
}

// strided moves the windows of a task of channelsLast by two.
func strided(t *engine.Task) *engine.Task {
	s := *t
	s.Axes = append(engine.Domain{}, t.Axes...)
	s.Axes[2], s.Axes[3] = (t.Axes[2]+1)/2, (t.Axes[3]+1)/2
	at := make([]*engine.Index, len(t.Axes))
	for i := range at {
		at[i] = engine.AxisIndex(i)
	}
	at[2], at[3] = at[2].Mul(2), at[3].Mul(2)
	s.A = t.A.Subst(at, s.Axes)
	s.Outs = []engine.Operand{{DType: t.Outs[0].DType, Len: s.Size(0) * s.Size(1) * s.Size(2)}}
	return &s
}

// Sums of 2 x 2 windows come from fewer roundings than plain sums, and their
// error is no larger.
func TestFewerMultiplicationsAreAsExact(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	task := sample.ChannelsLast(tensor.Float32, 1, 1, 64, 5, 6, 32, false)
	exact := task.Rewrite(func(e *engine.Expr) *engine.Expr { return e })
	exact.Acc, exact.Outs = tensor.Float64, []engine.Operand{{DType: tensor.Float64, Len: task.Outs[0].Len}}
	exact.A = engine.Apply(sample.Cast, tensor.Float64, task.A)
	exact.B = engine.Apply(sample.Cast, tensor.Float64, task.B)
	exact.Values = []*engine.Expr{engine.Acc(0, tensor.Float64)}
	ins := ocltest.RandomInputs(task, 9)
	want, err := taskref.Eval(exact, ins)
	require.NoError(t, err)
	worst := func(force string) (w float64) {
		p, err := variant.MakePlan(ocltest.CPU(16), nil, task, force)
		require.NoError(t, err)
		r := b.Prepare(t, task, p, ins)
		r.Run(t)
		got := r.Read(t)
		for i := range int(task.Outs[0].Len) {
			w = max(w, math.Abs(ocltest.NumberAt(tensor.Float32, got, i)-ocltest.NumberAt(tensor.Float64, want[0], i)))
		}
		return w
	}
	few, plain := worst("contract=winograd"), worst("contract=panel")
	t.Logf("largest error %.2g, of plain sums %.2g", few, plain)
	require.LessOrEqual(t, few, plain)
}

// An infinity, a NaN and numbers that only the transforms overflow with reach the
// windows that read them and no others.
func TestWhatIsNotFiniteStaysInItsWindows(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	for _, name := range []string{"odd", "odd, along rows", "groups, along", "doubles"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := winogradTasks()[name]
			dt := task.Outs[0].DType
			ins := ocltest.RandomInputs(task, 7)
			largest := 3e38
			if dt == tensor.Float64 {
				largest = 1.7e308
			}
			images := 0 // the larger operand
			if len(ins[1]) > len(ins[0]) {
				images = 1
			}
			elements := len(ins[images]) / dt.Size()
			for i, v := range []float64{math.Inf(1), math.NaN(), largest, -largest, math.Inf(-1), largest} {
				put(dt, ins[images], (2*i+1)*elements/13, v)
			}
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "contract=winograd")
			require.NoError(t, err)
			require.Equal(t, "winograd", p.Variant)
			r := b.Prepare(t, task, p, ins)
			r.Run(t)
			got := r.Read(t)
			odd := 0
			for i := 0; i < len(got); i += dt.Size() {
				w, g := ocltest.NumberAt(dt, want[0][i:], 0), ocltest.NumberAt(dt, got[i:], 0)
				if math.IsNaN(w) || math.IsInf(w, 0) {
					odd++
				}
				require.Equal(t, [3]bool{math.IsNaN(w), math.IsInf(w, 1), math.IsInf(w, -1)},
					[3]bool{math.IsNaN(g), math.IsInf(g, 1), math.IsInf(g, -1)}, "element %d: %v, not %v", i/dt.Size(), g, w)
			}
			require.Positive(t, odd)
			require.Less(t, odd, len(got)/dt.Size())
		})
	}
}

// put makes v element i of b.
func put(dt tensor.DType, b []byte, i int, v float64) {
	if dt == tensor.Float64 {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		return
	}
	binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
}

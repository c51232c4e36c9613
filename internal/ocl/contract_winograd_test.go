package ocl

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// channelsLast is a convolution by windows of 3 x 3 over a padded image
// [images][h + 2][w + 2][groups·c]; batch = groups, m = image, y, x, n = o,
// k = ky, kx, c. With rows the result lies as [images][groups·o][h][w].
func channelsLast(dt tensor.DType, images, groups, c, h, w, o int, rows bool) *engine.Task {
	dims := []int{groups, images, h, w, o, 3, 3, c}
	right, down := int64(groups*c), int64((w+2)*groups*c)
	image := view{dt, 0, []int64{int64(c), int64(h+2) * down, down, right, 0, down, right, 1}, int64(images*(h+2)) * down}
	weights := dense(dt, dims, 0, 4, 7, 5, 6)
	t := product([4]int{1, 3, 1, 3}, dims, image, weights, dt)
	if !rows {
		return t
	}
	// The transposed product, one image a batch.
	order := []int{1, 0, 4, 2, 3, 5, 6, 7}
	moved := make([]int, len(order))
	shape := make([]int, len(order))
	for to, from := range order {
		moved[from], shape[to] = to, dims[from]
	}
	at := make([]*engine.Index, len(order))
	for i, to := range moved {
		at[i] = engine.AxisIndex(to)
	}
	s := *t
	s.Axes, s.Groups = shape, []int{2, 1, 2, 3}
	s.A, s.B = t.B.Subst(at, s.Axes), t.A.Subst(at, s.Axes)
	return &s
}

func winogradTasks() map[string]*engine.Task {
	f := tensor.Float32
	return map[string]*engine.Task{
		"even":             channelsLast(f, 1, 1, 16, 6, 8, 32, false),
		"odd":              channelsLast(f, 2, 1, 21, 5, 7, 37, false),
		"odd, along rows":  channelsLast(f, 2, 1, 17, 3, 37, 37, true),
		"narrow":           channelsLast(f, 3, 1, 40, 2, 3, 5, true),
		"groups":           channelsLast(f, 2, 3, 18, 5, 4, 20, false),
		"groups, along":    channelsLast(f, 2, 2, 18, 5, 19, 20, true),
		"biased":           biased(channelsLast(f, 1, 1, 33, 8, 9, 40, false)),
		"halves":           channelsLast(tensor.Float16, 1, 1, 17, 5, 6, 33, false),
		"bfloat16, along":  channelsLast(tensor.BFloat16, 1, 1, 18, 5, 33, 9, true),
		"doubles":          channelsLast(tensor.Float64, 1, 1, 19, 9, 10, 20, false),
		"many channels":    channelsLast(f, 1, 1, 300, 3, 4, 20, false),
		"few channels":     channelsLast(f, 1, 1, 2, 12, 13, 16, false),
		"many, along rows": channelsLast(f, 1, 1, 70, 9, 5, 70, true),
	}
}

func TestWindowsOfThreeByThreeTakeFewerMultiplications(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	little := cpuFacts(8)
	little.LocalMem = 64 << 10
	far := cpuFacts(16)
	far.ForceWide = true
	devices := map[string]*facts.Device{"16 lanes": cpuFacts(16), "8 lanes, little memory": little, "4 lanes": cpuFacts(4), "long positions": far}
	for name, task := range winogradTasks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ins := randomInputs(task, 3)
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
					r := b.prepare(t, task, p, ins)
					r.run(t)
					requireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.read(t))
				})
			}
		})
	}
}

// Other windows have no such way: the variant is not forced on them.
func TestOtherWindowsAreNotWinograds(t *testing.T) {
	t.Parallel()
	ints := channelsLast(tensor.Int32, 1, 1, 16, 6, 8, 32, false)
	for name, task := range map[string]*engine.Task{
		"integers":      ints,
		"channels":      convolution(1, 1, 16, 9, 9, 16, 3, 1, 1),
		"a stride":      strided(channelsLast(tensor.Float32, 1, 1, 16, 7, 7, 16, false)),
		"one product":   matmul(tensor.Float32, 1, 64, 64, 144, false, false),
		"five by five":  convolution(1, 1, 16, 9, 9, 16, 5, 1, 1),
		"no windows":    matmul(tensor.Float32, 2, 9, 9, 9, true, false),
		"an empty sum":  matmul(tensor.Float32, 1, 9, 9, 0, true, false),
		"single window": channelsLast(tensor.Float32, 1, 1, 16, 1, 1, 32, false),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=winograd")
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
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	task := channelsLast(tensor.Float32, 1, 1, 64, 5, 6, 32, false)
	exact := task.Rewrite(func(e *engine.Expr) *engine.Expr { return e })
	exact.Acc, exact.Outs = tensor.Float64, []engine.Operand{{DType: tensor.Float64, Len: task.Outs[0].Len}}
	exact.A = engine.Apply(cast, tensor.Float64, task.A)
	exact.B = engine.Apply(cast, tensor.Float64, task.B)
	exact.Values = []*engine.Expr{engine.Acc(0, tensor.Float64)}
	ins := randomInputs(task, 9)
	want, err := taskref.Eval(exact, ins)
	require.NoError(t, err)
	worst := func(force string) (w float64) {
		p, err := variant.MakePlan(cpuFacts(16), nil, task, force)
		require.NoError(t, err)
		r := b.prepare(t, task, p, ins)
		r.run(t)
		got := r.read(t)
		for i := range int(task.Outs[0].Len) {
			w = max(w, math.Abs(decode(tensor.Float32, got[4*i:])-decode(tensor.Float64, want[0][8*i:])))
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
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	for _, name := range []string{"odd", "odd, along rows", "groups, along", "doubles"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := winogradTasks()[name]
			dt := task.Outs[0].DType
			ins := randomInputs(task, 7)
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
			p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=winograd")
			require.NoError(t, err)
			require.Equal(t, "winograd", p.Variant)
			r := b.prepare(t, task, p, ins)
			r.run(t)
			got := r.read(t)
			odd := 0
			for i := 0; i < len(got); i += dt.Size() {
				w, g := decode(dt, want[0][i:]), decode(dt, got[i:])
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

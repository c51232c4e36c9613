package ocl

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

func TestCollapseKeepsTheMeaning(t *testing.T) {
	fewer := 0
	for seed := range uint64(300) {
		m := &maker{r: rand.New(rand.NewPCG(11, seed))}
		for range 2 + m.r.IntN(3) {
			m.dom = append(m.dom, 1+m.r.IntN(4))
		}
		// Half of the tasks read a dense operand, so that there are axes to merge.
		v := m.expr(tensor.Int32, 1)
		if seed%2 == 0 {
			m.ins = []engine.Operand{{DType: tensor.Int32, Len: m.dom.Size()}}
			v = engine.Load(0, tensor.Int32, sample.DenseAt(m.dom, identityOrder(len(m.dom))...), nil)
		}
		task := sample.Map(m.dom, v, m.ins...)
		if seed%3 == 0 {
			task = sample.Reduce(m.dom, 1, engine.ArgMax, v, m.ins...)
		}
		c := access.Collapse(task)
		ins := m.bytes()
		want, err := taskref.Eval(task, ins)
		require.NoError(t, err)
		got, err := taskref.Eval(c, ins)
		require.NoError(t, err)
		require.Equal(t, want, got, "%v became %v", task.Axes, c.Axes)
		if len(c.Axes) < len(task.Axes) {
			fewer++
		}
		if seed%2 == 0 {
			require.LessOrEqual(t, len(c.Axes), len(task.Groups), "dense")
		}
	}
	require.Greater(t, fewer, 150)
}

func identityOrder(n int) (a []int) {
	for i := range n {
		a = append(a, i)
	}
	return a
}

func TestCollapseStopsWhereAnAddressBroadcasts(t *testing.T) {
	dom := engine.Domain{2, 3, 4, 1, 5}
	x := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	bias := engine.Operand{DType: tensor.Float32, Len: 3}
	v := engine.Apply(sample.Add, tensor.Float32, engine.Load(0, x.DType, sample.DenseAt(dom, 0, 1, 2, 3, 4), nil),
		engine.Load(1, x.DType, engine.AxisIndex(1), nil))
	require.Equal(t, engine.Domain{2, 3, 20}, access.Collapse(sample.Map(dom, v, x, bias)).Axes)
}

// For each dtype one program that converts from all the others.
func TestCastsFollowTheRulesOfTensorCast(t *testing.T) {
	ocltest.NumbersOnly(t)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2.5, -1.5, 127.9, 128, 255.5, 256, -129, 32768, 65503, 65519.9, 65520, 65535.5,
		70000, 2147483520, 2147483648, -2147483648, -3e9, 4294967296, 9.3e18, -9.3e18, 2e19, 1e-5, 6e-8, 3e-8, 2.9e-8, 1e-40, 3.4e38, 1e39,
		1.00048828125, 1.0009765625, 1.00390625, 1.01171875, math.NaN(), math.Inf(1), math.Inf(-1), 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-50}
	const n = 400
	from := ocltest.DeviceDTypes(t)
	for _, to := range from {
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, uint64(to)))
			dom := engine.Domain{len(from), n}
			var v *engine.Expr
			var ins []engine.Operand
			var data [][]byte
			for i, dt := range from {
				x := engine.Apply(sample.Cast, to, engine.Load(i, dt, engine.AxisIndex(1), nil))
				if v == nil {
					v = x
				} else {
					v = engine.Apply(sample.Where, to, engine.Valid([]engine.Cond{{X: engine.AxisIndex(0), Lo: int64(i), Hi: int64(i + 1)}}), x, v)
				}
				ins = append(ins, engine.Operand{DType: dt, Len: n})
				b := make([]byte, n*dt.Size())
				for j := range int64(n) {
					f, u := math.Ldexp(r.NormFloat64(), r.IntN(60)-30), r.Uint64()>>r.IntN(64)
					if j < int64(len(special)) {
						f = special[j]
					}
					if r.IntN(2) == 0 {
						u = -u
					}
					if j == 0 {
						u = 1 << (8*dt.Size() - 1) // the least, where there is a sign
					}
					ocltest.PutAt(dt, b, j, f, u)
				}
				data = append(data, b)
			}
			got, p := ocltest.Execute(t, device(t, "map="+[]string{"item", "block"}[int(to)%2], nil), sample.Map(dom, v, ins...), data, 0)
			want, err := taskref.Eval(sample.Map(dom, v, ins...), data)
			require.NoError(t, err)
			for j := range len(from) * n {
				w, g := ocltest.NumberAt(to, want[0], j), ocltest.NumberAt(to, got[0], j)
				if flushes := to == tensor.Float32 && math.Abs(w) < 0x1p-126 && g == 0; flushes {
					continue // a device may have no subnormal floats
				}
				if w != g && (w == w || g == g) {
					require.Failf(t, "wrong cast", "%v of %v to %v is %v, not %v\n%s", from[j/n], ocltest.NumberAt(from[j/n], data[j/n], j%n), to, g, w,
						p.Source[strings.Index(p.Source, "this task"):])
				}
			}
		})
	}
}

// The result of a sum has no position along the axis that it folded.
func TestAnAxisUsedWhereThereIsNoneIsAnError(t *testing.T) {
	const f32 = tensor.Float32
	dom := engine.Domain{40, 300}
	sum := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil), engine.Operand{DType: f32, Len: dom.Size()})
	sum.Values[0] = engine.Apply(sample.Add, f32, engine.Acc(0, f32), engine.IndexValue(f32, engine.AxisIndex(1)))
	scatter := sample.Scatter(50, 90, 20, f32, tensor.Int32)
	scatter.Update = engine.IndexValue(f32, engine.AxisIndex(0))
	for _, task := range []*engine.Task{sum, scatter} {
		for _, facts := range []*facts.Device{ocltest.CPU(16), ocltest.GPU(256)} {
			for _, force := range variant.Variants() {
				if !strings.HasPrefix(force, task.Kind.String()) {
					continue
				}
				_, err := variant.MakePlan(facts, nil, task, force)
				require.ErrorContains(t, err, "axis", "%s on %s", force, facts.Name)
			}
		}
	}
}

package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// maker makes random expressions over a domain.
type maker struct {
	r   *rand.Rand
	dom engine.Domain
	ins []engine.Operand
}

// Every seed is a program of its own: few, but in every way of indexing.
func TestRandomExpressionsMeanWhatTheySay(t *testing.T) {
	ocltest.NumbersOnly(t)
	dtypes := []tensor.DType{tensor.Float32, tensor.Int32, tensor.Float16, tensor.Uint8, tensor.Int64, tensor.Float32}
	for seed := range uint64(18) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &maker{r: rand.New(rand.NewPCG(7, seed))}
			for range m.r.IntN(4) {
				m.dom = append(m.dom, 1+m.r.IntN(20))
			}
			v := m.expr(dtypes[seed%6], 1+int(seed%3))
			task := sample.Map(m.dom, v, m.ins...)
			variantName := []string{"map=item", "map=block"}[seed/6%2]
			e := device(t, variantName, func(f *facts.Device) {
				f.ForceWide = seed%4 == 1
				if seed%4 == 2 {
					f.ArgBytes = 64 + 16*(len(task.Ins)+1) // numbers go in a table
				}
			})
			ocltest.Verify(t, e, task, m.bytes(), 1e-5, 4)
		})
	}
}

func TestTableOfNumbersReplacesArgumentsThatDoNotFit(t *testing.T) {
	dom := engine.Domain{5, 7, 3}
	in := engine.Operand{DType: tensor.Int32, Len: 2000}
	v := engine.Load(0, tensor.Int32, engine.AxisIndex(2).Mul(311).Add(engine.AxisIndex(0).Mul(17)).Add(engine.AxisIndex(1).Mul(5)).AddConst(23), []engine.Cond{{X: engine.AxisIndex(1).Mul(13), Lo: 2, Hi: 77}})
	task := sample.Map(dom, v, in)
	data := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(1, 1)), in.DType, in.Len)}
	for _, wide := range []bool{false, true} {
		e := device(t, "map=block", func(f *facts.Device) { f.ArgBytes, f.ForceWide = 96, wide })
		p := ocltest.Verify(t, e, task, data, 0, 0)
		require.Contains(t, p.Source, "n_[0]")
	}
}

// index is a random address, not bounded.
func (m *maker) index(depth int) *engine.Index {
	if depth == 0 || m.r.IntN(5) == 0 {
		if len(m.dom) == 0 || m.r.IntN(4) == 0 {
			return engine.ConstIndex(int64(m.r.IntN(9) - 4))
		}
		return engine.AxisIndex(m.r.IntN(len(m.dom)))
	}
	x := m.index(depth - 1)
	switch d := int64(1 + m.r.IntN(6)); m.r.IntN(6) {
	case 0:
		return x.Div(d, m.dom)
	case 1:
		return x.Mod(d, m.dom)
	case 2:
		return x.Mul(int64(m.r.IntN(9) - 4))
	case 3:
		// A gather by a small integer that is itself computed.
		in := m.input(tensor.Int32)
		v := engine.Load(in, tensor.Int32, m.inside(m.index(depth-1), in), nil)
		return engine.DataIndex(v).Mod(d+1, m.dom).Add(x)
	default:
		return x.Add(m.index(depth - 1))
	}
}

// inside brings x into input in.
func (m *maker) inside(x *engine.Index, in int) *engine.Index {
	if lo, hi := x.Bounds(m.dom); lo >= 0 && hi < m.ins[in].Len {
		return x
	}
	return x.Mod(m.ins[in].Len, m.dom)
}

func (m *maker) input(dt tensor.DType) int {
	if len(m.ins) < 6 && m.r.IntN(2) == 0 {
		m.ins = append(m.ins, engine.Operand{DType: dt, Len: int64(1 + m.r.IntN(40))})
		return len(m.ins) - 1
	}
	for i, o := range m.ins {
		if o.DType == dt {
			return i
		}
	}
	m.ins = append(m.ins, engine.Operand{DType: dt, Len: int64(1 + m.r.IntN(40))})
	return len(m.ins) - 1
}

func (m *maker) load(dt tensor.DType, depth int) *engine.Expr {
	in := m.input(dt)
	x := m.index(depth)
	if m.r.IntN(2) == 0 {
		return engine.Load(in, dt, m.inside(x, in), nil)
	}
	// Outside of the buffer, or of something smaller still, it reads 0.
	conds := []engine.Cond{{X: x, Lo: int64(m.r.IntN(2)), Hi: m.ins[in].Len - int64(m.r.IntN(2))}}
	if m.r.IntN(3) == 0 {
		conds = append(conds, engine.Cond{X: m.index(1), Lo: -2, Hi: int64(m.r.IntN(6))})
	}
	return engine.Load(in, dt, x, conds)
}

func (m *maker) expr(dt tensor.DType, depth int) *engine.Expr {
	if depth == 0 {
		switch m.r.IntN(6) {
		case 0:
			return sample.Constant(dt, float64(m.r.IntN(7)-3))
		case 1:
			return engine.IndexValue(dt, m.index(2))
		default:
			return m.load(dt, 3)
		}
	}
	a := m.expr(dt, depth-1)
	switch m.r.IntN(6) {
	case 0:
		return engine.Apply(sample.Where, dt, engine.Valid([]engine.Cond{{X: m.index(2), Lo: -1, Hi: 3}}), a, m.expr(dt, depth-1))
	case 1:
		other := m.expr(tensor.Int32, depth-1)
		return engine.Apply(sample.Where, dt, engine.Apply(sample.Less, tensor.Bool, other, m.expr(tensor.Int32, 0)), a, m.expr(dt, 0))
	case 2:
		return engine.Apply(sample.Mul, dt, a, sample.Constant(dt, 0.5))
	case 3:
		return engine.Apply(sample.Add, dt, a, engine.Apply(sample.Cast, dt, engine.Run()))
	default:
		return engine.Apply(sample.Add, dt, a, m.expr(dt, depth-1))
	}
}

func (m *maker) bytes() [][]byte {
	var ins [][]byte
	for _, o := range m.ins {
		ins = append(ins, ocltest.RandomBytes(m.r, o.DType, o.Len))
	}
	return ins
}

package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// eval is the definition of an Index, followed literally.
func eval(x *Index, at []int64) int64 {
	v := x.Const
	for _, t := range x.Terms {
		switch t.Atom.Kind {
		case AtomAxis:
			v += t.Coef * at[t.Atom.Axis]
		case AtomDiv:
			v += t.Coef * floorDiv(eval(t.Atom.X, at), t.Atom.D)
		case AtomMod:
			y := eval(t.Atom.X, at)
			v += t.Coef * (y - floorDiv(y, t.Atom.D)*t.Atom.D)
		case AtomMin:
			v += t.Coef * min(eval(t.Atom.X, at), t.Atom.D)
		}
	}
	return v
}

// model is a random index expression beside its meaning in plain arithmetic.
type model struct {
	x *Index
	f func(at []int64) int64
}

func randomModel(r *rand.Rand, dom Domain, depth int) model {
	if depth == 0 || r.IntN(5) == 0 {
		if r.IntN(4) == 0 {
			c := int64(r.IntN(11) - 5)
			return model{ConstIndex(c), func([]int64) int64 { return c }}
		}
		a := r.IntN(len(dom))
		return model{AxisIndex(a), func(at []int64) int64 { return at[a] }}
	}
	m := randomModel(r, dom, depth-1)
	switch d := int64(1 + r.IntN(7)); r.IntN(6) {
	case 0:
		return model{m.x.Div(d, dom), func(at []int64) int64 { return floorDiv(m.f(at), d) }}
	case 1:
		return model{m.x.Mod(d, dom), func(at []int64) int64 { y := m.f(at); return y - floorDiv(y, d)*d }}
	case 2:
		d -= 4
		return model{m.x.Min(d, dom), func(at []int64) int64 { return min(m.f(at), d) }}
	case 3:
		c := int64(r.IntN(13) - 6)
		return model{m.x.Mul(c), func(at []int64) int64 { return c * m.f(at) }}
	default:
		n := randomModel(r, dom, depth-1)
		return model{m.x.Add(n.x), func(at []int64) int64 { return m.f(at) + n.f(at) }}
	}
}

func points(dom Domain, f func(at []int64)) {
	at := make([]int64, len(dom))
	for {
		f(at)
		i := len(dom) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < int64(dom[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func TestSimplificationKeepsTheMeaning(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		dom := Domain{1 + r.IntN(6), 1 + r.IntN(6), 1 + r.IntN(4)}
		m := randomModel(r, dom, 6)
		lo, hi := m.x.Bounds(dom)
		points(dom, func(at []int64) {
			v := m.f(at)
			require.Equal(t, v, eval(m.x, at), "%v at %v over %v", m.x, at, dom)
			require.LessOrEqual(t, lo, v)
			require.GreaterOrEqual(t, hi, v)
		})
	}
}

func TestSubstitutionComposes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		dom := Domain{1 + r.IntN(5), 1 + r.IntN(5)}
		outer := Domain{40, 40}
		m := randomModel(r, outer, 5)
		a, b := AxisIndex(1).Mul(3).AddConst(2), AxisIndex(0).Add(AxisIndex(1))
		got := m.x.Subst([]*Index{a, b}, dom)
		points(dom, func(at []int64) {
			require.Equal(t, m.f([]int64{3*at[1] + 2, at[0] + at[1]}), eval(got, at))
		})
	}
}

func TestMergeThenSplitIsTheIdentity(t *testing.T) {
	dom := Domain{24}
	n := AxisIndex(0)
	back := n.Div(6, dom).Mul(6).Add(n.Mod(6, dom))
	require.Equal(t, n.Key(), back.Key())
	dom = Domain{4, 6}
	flat := AxisIndex(0).Mul(6).Add(AxisIndex(1))
	require.Equal(t, AxisIndex(0).Key(), flat.Div(6, dom).Key())
	require.Equal(t, AxisIndex(1).Key(), flat.Mod(6, dom).Key())
}

func TestConditionsAreProvenFromBounds(t *testing.T) {
	dom := Domain{5}
	always, never := Cond{AxisIndex(0), 0, 5}.Proven(dom)
	require.True(t, always)
	require.False(t, never)
	always, never = Cond{AxisIndex(0).AddConst(7), 0, 5}.Proven(dom)
	require.False(t, always)
	require.True(t, never)
}

// A position that a load gives needs no test where its values are known, but where the load itself does not happen it is 0.
func TestConditionsAreProvenFromWhatIsKnownOfData(t *testing.T) {
	dom := Domain{5}
	load := Load(0, tensor.Int32, AxisIndex(0), nil)
	proven := func(e *Expr, lo, hi int64) bool {
		always, _ := Cond{DataIndex(e), lo, hi}.Proven(dom)
		return always
	}
	require.False(t, proven(load, -1<<40, 1<<40))
	require.True(t, proven(load.Within(2, 6), 2, 7))
	require.False(t, proven(load.Within(2, 6), 3, 7))
	require.False(t, proven(load.Within(2, 6), 2, 6))
	guarded := Load(0, tensor.Int32, AxisIndex(0), []Cond{{AxisIndex(0), 0, 3}}).Within(2, 6)
	require.False(t, proven(guarded, 2, 7))
	require.True(t, proven(guarded, 0, 7))
	require.NotEqual(t, load.Key(), load.Within(2, 6).Key())
	moved := load.Within(2, 6).Subst([]*Index{AxisIndex(0).AddConst(1)}, dom)
	require.True(t, proven(moved, 2, 7))
}

func TestAReshapeOfSeveralAxesIsUndone(t *testing.T) {
	dom := Domain{8 * 5 * 7 * 3}
	x := AxisIndex(0).AddConst(2)
	at := func(down, extent int64) *Index { return x.Div(down, dom).Mod(extent, dom) }
	back := x.Div(105, dom).Mul(105).Add(at(21, 5).Mul(21)).Add(at(3, 7).Mul(3)).Add(at(1, 3))
	require.Equal(t, x.Key(), back.Key())
}

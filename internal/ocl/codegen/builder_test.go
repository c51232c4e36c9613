package codegen

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

func mapTask(dom engine.Domain, v *engine.Expr, ins ...engine.Operand) *engine.Task {
	return &engine.Task{
		Kind: engine.Map, Name: "test", Axes: dom, Groups: []int{len(dom)},
		Ins: ins, Outs: []engine.Operand{{DType: v.DType, Len: dom.Size()}}, Values: []*engine.Expr{v},
	}
}

func TestMagicDivisionIsExactBelow2To31(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	divide := func(g *Builder, n, d uint32) uint32 {
		m, s := g.magic(int64(d))
		value := func(name string) uint32 {
			for _, a := range g.ints {
				if a.Name == name {
					return uint32(int32(a.Value))
				}
			}
			t.Fatal(name)
			return 0
		}
		return (uint32(uint64(n)*uint64(value(m))>>32) + n) >> value(s)
	}
	for range 3000 {
		g := &Builder{byKey: map[string]int{}}
		d := uint32(2 + r.IntN(100))
		if r.IntN(2) == 0 {
			d = uint32(2 + r.IntN(math.MaxInt32-2))
		}
		for range 20 {
			q := uint32(r.IntN(math.MaxInt32/int(d) + 1))
			for _, n := range []uint32{q * d, q*d - 1, q*d + d - 1, uint32(r.IntN(math.MaxInt32)), math.MaxInt32, 0} {
				if n > math.MaxInt32 {
					continue
				}
				require.Equal(t, n/d, divide(g, n, d), "%d / %d", n, d)
			}
		}
	}
}

func TestLongIndicesAreUsedWhenIntsWouldOverflow(t *testing.T) {
	in := engine.Operand{DType: tensor.Int8, Len: 1 << 33}
	of := func(n int, x *engine.Index) *engine.Task {
		return mapTask(engine.Domain{n, 3}, engine.Load(0, in.DType, x, nil), engine.Operand{DType: in.DType, Len: 1000})
	}
	x := engine.AxisIndex(0)
	require.False(t, needsWide(of(1000, x)))
	require.True(t, needsWide(of(1<<30, x)), "3 * 2^30 points")
	require.True(t, needsWide(of(1000, x.Mul(1<<22))), "an address past the end of int")
	require.True(t, needsWide(of(1000, x.Mul(1<<22+1).Div(1<<20, engine.Domain{1000, 3}))), "a value on the way")
	require.True(t, needsWide(mapTask(engine.Domain{4}, engine.Load(0, in.DType, engine.AxisIndex(0), nil), in)), "a buffer of 2^33 elements")
}

func TestTemplatesAreFilledWordByWord(t *testing.T) {
	f32, f64 := tensor.Float32, tensor.Float64
	for _, c := range []struct {
		c    string
		out  tensor.DType
		in   []tensor.DType
		want string
	}{
		{"0.5f * a * (1.0f + erf(a * M_SQRT1_2_F))", f64, []tensor.DType{f64}, "0.5 * v7 * (1.0 + double_erf(v7 * M_SQRT1_2))"},
		{"0.5f * a", f32, []tensor.DType{f32}, "0.5f * v7"},
		{"convert_$T_sat(a) + ($A)b", tensor.Int8, []tensor.DType{f32, f32}, "convert_char_sat(v7) + (float)v8"},
		{"a < FLT_MAX && 1e-3f < b", tensor.Bool, []tensor.DType{f64, f64}, "v7 < DBL_MAX && 1e-3 < v8"},
		{"0x1.8p-3f + 0xaf + abs(a)", f64, []tensor.DType{f64}, "0x1.8p-3 + 0xaf + abs(v7)"},
		{"$cast(a)", tensor.Uint8, []tensor.DType{tensor.Int64}, "(uchar)(v7)"},
		{"$cast(a)", tensor.Bool, []tensor.DType{f32}, "(uchar)(v7 != 0)"},
	} {
		args := []string{"v7", "v8"}[:len(c.in)]
		double := c.out == f64 || c.in[0] == f64
		require.Equal(t, c.want, fill(c.c, RegType(c.out), c.out, c.in, args, double))
	}
	mul := &engine.Scalar{Name: "mul", Arity: 2, OpenCL: "a * b"}
	sum := engine.Apply(mul, tensor.Uint16, engine.Constant(tensor.Uint16, engine.Const{Int: 3}),
		engine.Constant(tensor.Uint16, engine.Const{Int: 4}))
	require.Equal(t, "(ushort)((uint)a * (uint)b)", apply(sum, []string{"a", "b"}), "signed overflow is undefined in C")
}

func TestVariablesOfBytesAreWider(t *testing.T) {
	require.Equal(t, "WIDE_CHAR(v ? WIDE_UCHAR(x) : (char)0)", wideBytes.Replace("(char)(v ? (uchar)(x) : (char)0)"))
	g := &Builder{Device: &facts.Device{WideBytes: true}}
	require.Equal(t, "short", g.heldType(tensor.Int16))
	require.Equal(t, "float", g.heldType(tensor.Float32))
}

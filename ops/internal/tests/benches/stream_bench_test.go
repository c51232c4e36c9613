package benches_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkStream is work that memory bounds: every element is read once and
// written once, whatever happens in between. The rate counts variables and
// outputs once each; "copy" is what the others are measured against.
func BenchmarkStream(b *testing.B) {
	f32 := tensor.Float32
	x := func(g *Graph, name string, dt tensor.DType, shape ...int) *Node {
		return g.Variable(name, noise(b, dt, shape...))
	}
	square := func(g *Graph) *Node { return x(g, "x", f32, 4096, 4096) }
	images := func(g *Graph) *Node { return x(g, "x", f32, 32, 64, 88, 88) }
	of := func(dt tensor.DType, f func(x *Node) *Node) func(g *Graph) *Node {
		return func(g *Graph) *Node { return f(x(g, "x", dt, 4096, 4096)) }
	}
	shaped := func(f func(x *Node) *Node, shape ...int) func(g *Graph) *Node {
		return func(g *Graph) *Node { return f(x(g, "x", f32, shape...)) }
	}
	sum := func(axes ...int) func(x *Node) *Node { return func(x *Node) *Node { return Sum(x, axes...) } }
	for _, c := range []struct {
		name  string
		build func(g *Graph) *Node
	}{
		{"map/copy", func(g *Graph) *Node { return Flip(Flip(square(g), 0), 0) }},
		{"map/copy64Mi", shaped(Neg, 8192, 8192)},
		{"map/chain", func(g *Graph) *Node {
			x := square(g)
			return ReLU(Add(Mul(x, ScalarLike(x, 2)), Mul(x, x)))
		}},
		{"map/add", func(g *Graph) *Node { return Add(square(g), x(g, "y", f32, 4096, 4096)) }},
		{"map/exp", of(f32, Exp)},
		{"map/log", of(f32, Log)},
		{"map/tanh", of(f32, Tanh)},
		{"map/sigmoid", of(f32, Sigmoid)},
		{"map/gelu", of(f32, GELU)},
		{"map/gelu-tanh", of(f32, GELUTanh)},
		{"map/sin", of(f32, Sin)},
		{"map/sqrt", of(f32, Sqrt)},
		{"map/pow", of(f32, func(x *Node) *Node { return Pow(x, x) })},
		{"map/bias", func(g *Graph) *Node { return Add(square(g), x(g, "y", f32, 4096)) }},
		{"map/column", func(g *Graph) *Node { return Add(square(g), x(g, "y", f32, 4096, 1)) }},
		{"map/channel", func(g *Graph) *Node { return Add(images(g), x(g, "y", f32, 64, 1, 1)) }},
		{"map/where", func(g *Graph) *Node { x := square(g); return Where(Greater(x, ScalarLike(x, 0)), x, Exp(x)) }},
		{"map/strided", func(g *Graph) *Node { return Slice(square(g), Range{Axis: 1, Stop: 4096, Step: 2}) }},
		{"map/flip", func(g *Graph) *Node { return Flip(square(g), 1) }},
		{"map/narrow", shaped(func(x *Node) *Node { return Mul(x, x) }, 1<<22, 3)},
		{"map/narrow-bias", func(g *Graph) *Node { return Add(x(g, "x", f32, 1<<22, 3), x(g, "y", f32, 3)) }},
		{"map/f16", of(tensor.Float16, Neg)},
		{"map/bf16", of(tensor.BFloat16, Neg)},
		{"map/int8", of(tensor.Int8, func(x *Node) *Node { return Add(x, x) })},
		{"map/bool", of(tensor.Bool, Not)},
		{"map/int64", of(tensor.Int64, func(x *Node) *Node { return Add(x, x) })},
		{"map/f64", of(tensor.Float64, Neg)},
		{"map/cast-f32-f16", of(f32, func(x *Node) *Node { return Cast(x, tensor.Float16) })},
		{"map/cast-f32-int8", of(f32, func(x *Node) *Node { return Cast(x, tensor.Int8) })},
		{"map/cast-uint8-f32", of(tensor.Uint8, func(x *Node) *Node { return Cast(x, f32) })},
		{"map/less", of(f32, func(x *Node) *Node { return Less(x, ScalarLike(x, 0)) })},
		{"move/transpose", func(g *Graph) *Node { return Transpose(square(g)) }},
		{"move/transpose-f16", of(tensor.Float16, func(x *Node) *Node { return Transpose(x) })},
		{"move/transpose-int8", of(tensor.Int8, func(x *Node) *Node { return Transpose(x) })},
		{"move/transpose-odd", shaped(func(x *Node) *Node { return Transpose(x) }, 4001, 4099)},
		{"move/nchw-nhwc", func(g *Graph) *Node { return Transpose(images(g), 0, 2, 3, 1) }},
		{"move/nhwc-nchw", func(g *Graph) *Node { return Transpose(images(g), 0, 3, 1, 2) }},
		{"move/nhwc3-nchw", shaped(func(x *Node) *Node { return Transpose(x, 0, 3, 1, 2) }, 64, 256, 256, 3)},
		{"move/heads", shaped(func(x *Node) *Node { return Transpose(x, 0, 2, 1, 3) }, 16, 1024, 16, 64)},
		{"move/reverse4d", shaped(func(x *Node) *Node { return Transpose(x, 3, 2, 1, 0) }, 32, 64, 64, 128)},
		{"move/pad", func(g *Graph) *Node {
			return Pad(images(g), 0, Padding{Axis: 2, Before: 1, After: 1}, Padding{Axis: 3, Before: 1, After: 1})
		}},
		{"move/concat", func(g *Graph) *Node {
			return Concat(1, x(g, "x", f32, 4096, 2048), x(g, "y", f32, 4096, 2048))
		}},
		{"move/concat0", func(g *Graph) *Node {
			return Concat(0, x(g, "x", f32, 2048, 4096), x(g, "y", f32, 2048, 4096))
		}},
		{"reduce/all", of(f32, sum())},
		{"reduce/rows", of(f32, sum(1))},
		{"reduce/columns", of(f32, sum(0))},
		{"reduce/middle", shaped(sum(1), 64, 512, 512)},
		{"reduce/outer-inner", shaped(sum(0, 2, 3), 32, 64, 88, 88)},
		{"reduce/short10", shaped(sum(1), 1<<20, 10)},
		{"reduce/short64", shaped(sum(1), 1<<18, 64)},
		{"reduce/long", shaped(sum(1), 4, 1<<22)},
		{"reduce/tall", shaped(sum(0), 1<<18, 64)},
		{"reduce/tall3", shaped(sum(0), 1<<22, 3)},
		{"reduce/max", of(f32, func(x *Node) *Node { return Max(x) })},
		{"reduce/max-rows", of(f32, func(x *Node) *Node { return Max(x, 1) })},
		{"reduce/max-columns", of(f32, func(x *Node) *Node { return Max(x, 0) })},
		{"reduce/argmax-rows", of(f32, func(x *Node) *Node { return ArgMax(x, 1) })},
		{"reduce/argmin-columns", of(f32, func(x *Node) *Node { return ArgMin(x, 0) })},
		{"reduce/argmax-short", shaped(func(x *Node) *Node { return ArgMax(x, 1) }, 1<<20, 10)},
		{"reduce/mean", of(f32, func(x *Node) *Node { return Mean(x, 1) })},
		{"reduce/variance", of(f32, func(x *Node) *Node { return Variance(x, 1) })},
		{"reduce/variance-all", of(f32, func(x *Node) *Node { return Variance(x) })},
		{"reduce/sumexp", of(f32, func(x *Node) *Node { return Sum(Exp(x), 1) })},
		{"reduce/sumexp-all", of(f32, func(x *Node) *Node { return Sum(Exp(x)) })},
		{"reduce/sumexp-columns", of(f32, func(x *Node) *Node { return Sum(Exp(x), 0) })},
		{"reduce/sumsin", of(f32, func(x *Node) *Node { return Sum(Sin(x)) })},
		{"reduce/prod", of(f32, func(x *Node) *Node { return Prod(x, 1) })},
		{"reduce/f16", of(tensor.Float16, sum(1))},
		{"reduce/bf16", of(tensor.BFloat16, sum())},
		{"reduce/int8", of(tensor.Int8, sum())},
		{"reduce/int8-max", of(tensor.Int8, func(x *Node) *Node { return Max(x) })},
		{"reduce/bool", of(tensor.Bool, func(x *Node) *Node { return Any(x) })},
		{"reduce/int64", of(tensor.Int64, sum())},
		{"reduce/f64", of(tensor.Float64, sum())},
		{"index/embedding", func(g *Graph) *Node {
			return Embedding(x(g, "x", f32, 50000, 256), positions(b, g, 50000, 65536))
		}},
		{"index/take-along", func(g *Graph) *Node {
			return TakeAlong(square(g), 1, g.Variable("i", wholes(b, 4096, 4096, 4096)))
		}},
		{"index/one-hot", func(g *Graph) *Node { return OneHot(positions(b, g, 1000, 16384), 1000, f32) }},
		{"index/scatter", func(g *Graph) *Node {
			return ScatterAdd(x(g, "x", f32, 50000, 256), 0, positions(b, g, 50000, 65536), x(g, "y", f32, 65536, 256))
		}},
		{"index/scatter1", func(g *Graph) *Node {
			return ScatterAdd(x(g, "x", f32, 1<<20), 0, positions(b, g, 1<<20, 1<<22), x(g, "y", f32, 1<<22))
		}},
		{"index/scatter-few", func(g *Graph) *Node {
			return ScatterAdd(x(g, "x", f32, 16, 256), 0, positions(b, g, 16, 65536), x(g, "y", f32, 65536, 256))
		}},
		{"random/uniform", func(g *Graph) *Node { return g.Uniform(f32, 4096, 4096) }},
		{"random/normal", func(g *Graph) *Node { return g.Normal(f32, 4096, 4096) }},
		{"random/normal-mean", func(g *Graph) *Node { return Mean(g.Normal(f32, 4096, 4096)) }},
		{"random/pi", func(g *Graph) *Node {
			x, y := g.Uniform(f32, 4096, 4096), g.Uniform(f32, 4096, 4096)
			return Mean(Cast(Less(Add(Mul(x, x), Mul(y, y)), ScalarLike(x, 1)), f32))
		}},
		{"random/dropout", of(f32, func(x *Node) *Node { return Dropout(x, 0.1) })},
		{"size/1Ki", shaped(Exp, 1<<10)},
		{"size/16Ki", shaped(Exp, 1<<14)},
		{"size/256Ki", shaped(Exp, 1<<18)},
		{"size/1Mi", shaped(Exp, 1<<20)},
		{"size/sum1Ki", shaped(sum(), 1<<10)},
		{"size/sum16Ki", shaped(sum(), 1<<14)},
		{"size/sum256Ki", shaped(sum(), 1<<18)},
		{"size/sum1Mi", shaped(sum(), 1<<20)},
		{"size/rows256Ki", shaped(sum(1), 1<<9, 1<<9)},
		{"size/columns256Ki", shaped(sum(0), 1<<9, 1<<9)},
		{"size/transpose256Ki", shaped(func(x *Node) *Node { return Transpose(x) }, 1<<9, 1<<9)},
	} {
		b.Run(c.name, func(b *testing.B) { stream(b, c.build) })
	}
}

// stream times the tasks of a graph on the device, without reading its result.
func stream(b *testing.B, build func(g *Graph) *Node) {
	rt := opstest.Device(b)
	g := NewGraph("stream")
	y := build(g)
	zero, err := tensor.New(y.DType(), y.Shape()...)
	require.NoError(b, err)
	result := g.Variable("result", zero) // which stays on the device
	exe, err := g.Compile(b.Context(), rt, Target{Updates: []*Node{Assign(result, y)}, Place: OnDevice})
	require.NoError(b, err)
	defer func() { require.NoError(b, exe.Close()) }()
	bytes := 0.0
	for _, v := range inside.Executor(exe).Program().Variables {
		bytes += float64(v.Bytes)
	}
	run := func() {
		if err := exe.RunInto(b.Context(), nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	run()
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(bytes*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}

// noise is numbers in (-2, 2), or any bits of an integer.
func noise(t testing.TB, dt tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(dt, shape...)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(7, 8))
	raw, _ := x.Bytes()
	some := min(x.Len(), 1<<16) // drawing them all would take longer than measuring
	for i := range some {
		if dt.IsFloat() {
			x.SetFloat64(i, r.Float64()*4-2)
		} else {
			x.SetFloat64(i, float64(r.IntN(2)))
		}
	}
	for at := some * dt.Size(); at < len(raw); at *= 2 {
		copy(raw[at:], raw[:at])
	}
	return x
}

// wholes are int32 numbers below n.
func wholes(t testing.TB, n int, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(tensor.Int32, shape...)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(9, 10))
	v, err := tensor.ToSlice[int32](x)
	require.NoError(t, err)
	for i := range v {
		v[i] = int32(r.IntN(n))
	}
	x, err = tensor.FromSlice(v, shape...)
	require.NoError(t, err)
	return x
}

func positions(t testing.TB, g *Graph, n, count int) *Node {
	return g.Variable("at", wholes(t, n, count))
}

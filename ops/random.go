package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/philox"
	"github.com/anycl/anycl/tensor"
)

// Uniform draws independent numbers from [0, 1), anew at every Run:
//
//	y[i] = k · 2⁻ᵇ,  k uniform in [0, 2ᵇ)
//
// with as many bits b as the dtype holds: 8 for bfloat16, 11 for float16, 24
// for float32, 53 for float64. With more, rounding would reach 1. They depend
// on the graph's seed, on which call of Uniform or Normal this is, on the
// number of the Run and on i alone: every engine draws the same. Each iteration of a loop
// draws with a seed of its own, computed from the graph's seed and the iteration numbers of
// all enclosing loops. Errors: dtype not float; a negative extent.
// Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011),
// Philox-4x32-10.
func (g *Graph) Uniform(dt tensor.DType, shape ...int) *Node { return g.random("uniform", dt, shape) }

// Normal draws independent numbers from the standard normal distribution, anew
// at every Run:
//
//	y[i] = √(-2 ln u) · cos(2πv),  u in (0, 1], v in [0, 1)
//
// Otherwise as [Graph.Uniform]. Source: Box and Muller, A note on the
// generation of random normal deviates (1958).
func (g *Graph) Normal(dt tensor.DType, shape ...int) *Node { return g.random("normal", dt, shape) }

func (g *Graph) random(name string, dt tensor.DType, shape []int) *Node {
	switch {
	case g == nil:
		return g.fail(name, nil, errNoGraph)
	case !slices.Contains(opNamed(name).DTypes, dt):
		return g.fail(name, nil, dtypeError(dt, opNamed(name).DTypes))
	}
	g.streams++
	n := applySource(g, name, ir.RandomAttr{Stream: g.streams, Shape: slices.Clone(shape), DType: dt}, dt, shape)
	if !n.bad {
		n.in = g.numbers()
	}
	return n
}

var _ = define(Op{
	Name: "uniform", builtBy: "Graph.Uniform", Category: "random", DTypes: floats, Flat: true, kind: ir.KindRandom,
	Scalar: &engine.Scalar{
		Arity: 4,
		Flops: 60,
		OpenCLFor: func(out tensor.DType, _ []tensor.DType) string {
			switch out {
			case tensor.Float64:
				return "philox_uniform_double(a, b, c, d)"
			case tensor.Float32:
				return "philox_uniform(a, b, c, d)"
			}
			n := steps16(out)
			return fmt.Sprintf("floor(philox_uniform(a, b, c, d) * %[1]d.0f) / %[1]d.0f", n)
		},
		Host: randomHost(func(out tensor.DType, w [4]uint32) float32 {
			u := philox.Uniform(w)
			if n := steps16(out); n != 0 {
				u = float32(int(u*float32(n))) / float32(n)
			}
			return u
		}, philox.Uniform64),
	},
})

// steps16 is how many numbers of [0, 1) Uniform draws from in a 16-bit dtype, 0
// for others.
func steps16(dt tensor.DType) int {
	switch dt {
	case tensor.Float16:
		return 1 << 11
	case tensor.BFloat16:
		return 1 << 8
	}
	return 0
}

var _ = define(Op{
	Name: "normal", builtBy: "Graph.Normal", Category: "random", DTypes: floats, Flat: true, kind: ir.KindRandom,
	Scalar: &engine.Scalar{
		Arity: 4,
		Flops: 120,
		OpenCLFor: func(out tensor.DType, _ []tensor.DType) string {
			if out == tensor.Float64 {
				return "philox_normal_double(a, b, c, d)"
			}
			return "philox_normal(a, b, c, d)"
		},
		Host: randomHost(func(_ tensor.DType, w [4]uint32) float32 {
			u, v := philox.Pair(w)
			return float32(math.Sqrt(-2*math.Log(float64(u))) * cosTurn(float64(v)))
		}, func(w [4]uint32) float64 {
			u, v := philox.Pair64(w)
			return math.Sqrt(-2*math.Log(u)) * cosTurn(v)
		}),
	},
})

// fold_in makes the seed of an iteration of its number and the seed around the loop.
var _ = define(Op{
	Name: "fold_in", Operands: []Operand{{Name: "seed"}, {Name: "i", DTypes: every}}, hidden: true, Flat: true,
	Result: same,
	Scalar: &engine.Scalar{
		Arity:  2,
		Flops:  8,
		OpenCL: "philox_fold(a, (ulong)b)",
		Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
			for i, seed := range args[0].U64 {
				dst.U64[i] = philox.Fold(seed, uint64(args[1].I64[i]))
			}
		},
	},
})

// cosTurn is cos(2πv) for v in [0, 1), exact at its zeros as OpenCL's cospi is.
func cosTurn(v float64) float64 {
	if v > 0.5 {
		v = 1 - v
	}
	return math.Sin(2 * math.Pi * (0.25 - v))
}

// randomHost turns four random words into one number for each position. The
// operands are position (uint64), run (uint32), stream (uint32), seed (uint64).
func randomHost(f32 func(out tensor.DType, w [4]uint32) float32, f64 func(w [4]uint32) float64) hostFunc {
	return func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		at, run, stream, seed := args[0].U64, args[1].U64, args[2].U64, args[3].U64
		if engine.ClassOf(out) == engine.ClassF64 {
			for i := range dst.F64 {
				dst.F64[i] = f64(philox.Words(at[i], uint32(run[i]), uint32(stream[i]), seed[i]))
			}
			return
		}
		for i := range dst.F32 {
			dst.F32[i] = f32(out, philox.Words(at[i], uint32(run[i]), uint32(stream[i]), seed[i]))
		}
	}
}

// RandomState is where the random numbers of an executable have arrived: with it, another executable
// of a graph that was built alike goes on with the numbers that this one would draw next.
type RandomState struct {
	Seed uint64 // of the graph, see [Graph.Seed]
	Runs uint32 // that have begun
}

// RandomState is the state that the random numbers of the next run depend on, beside the graph. It is
// meaningful only between runs.
func (x *Executable) RandomState() RandomState {
	s := RandomState{Seed: x.graph.seed}
	if x.open != nil {
		s.Runs = x.open.runs.Load()
	} else {
		s.Runs = x.executor.Runs()
	}
	return s
}

// SetRandomState makes the next run draw the numbers of state s. Errors: the graph has another
// seed.
func (x *Executable) SetRandomState(s RandomState) error {
	if err := s.fits(x.graph); err != nil {
		return err
	}
	if x.open != nil {
		x.open.runs.Store(s.Runs)
	} else {
		x.executor.SetRuns(s.Runs)
	}
	return nil
}

// RandomState is the state with which the next Step draws: its Runs are the steps made so far. The numbers that a share draws depend
// on its place among the shares too.
func (p *DataParallel) RandomState() RandomState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return RandomState{Seed: p.graph.seed, Runs: p.steps}
}

// SetRandomState makes the next Step draw the numbers of state s. Errors: the graph has another seed.
func (p *DataParallel) SetRandomState(s RandomState) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := s.fits(p.graph); err != nil {
		return err
	}
	p.steps = s.Runs
	return nil
}

func (s RandomState) fits(g *Graph) error {
	if s.Seed != g.seed {
		return fmt.Errorf("ops: the random numbers of %q: the graph has the seed %d, and the state is of seed %d", g.name, g.seed, s.Seed)
	}
	return nil
}

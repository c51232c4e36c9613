// Package nbody computes sums over all pairs of points: forces and potentials of bodies that attract each other, of charges, of vortices.
package nbody

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// Law says how the sum of a pair falls with its distance r: as 1/ρ^Power, where ρ² = r² + Softening².
type Law struct {
	// Power is from 1 to 16: of the potentials of masses and charges in space 1, of their forces 3, of vortices in the plane 2.
	Power int
	// Softening is a length, in the unit of positions, below which the law no longer grows; 0: it always does.
	Softening float64
}

// Potentials returns for each target the sum over all sources
//
//	u[i] = Σ_j weights[j] / ρ[i,j]^Power    ρ[i,j]² = |sources[j] - targets[i]|² + Softening²
//
// Targets are [n, d], sources [m, d] and weights [m], all of one dtype, float32 or float64; d is 1, 2 or 3, and the result [n]. Every
// pair is computed; one with ρ² below the smallest normal number of the dtype, as a body and itself without softening, or above the
// largest, counts nothing. With masses as weights and a Power of 1, the potential of gravity is -G times the sum, in which each body that
// is among both has its own mass / Softening. Errors do not grow with m: sums of 256 sources are added up with compensation. The
// derivatives are sums of the same kind. Errors, of the graph: dtypes; shapes; the law. Source: Nyland, Harris and Prins, Fast N-Body
// Simulation with CUDA, GPU Gems 3 (2007), chapter 31.
func Potentials(targets, sources, weights *ops.Node, law Law) *ops.Node {
	return ops.Apply("nbody.potentials", lawAttr(law), targets, sources, weights)
}

// Forces returns for each target the sum over all sources
//
//	f[i] = Σ_j weights[j] (sources[j] - targets[i]) / ρ[i,j]^Power
//
// [n, d], and else as [Potentials]: with masses as weights and a Power of 3, G times it is the acceleration of gravity. It is the
// derivative of Potentials of a power that is less by 2, times that power. Its own derivatives take memory for n·m numbers.
func Forces(targets, sources, weights *ops.Node, law Law) *ops.Node {
	return ops.Apply("nbody.forces", lawAttr(law), targets, sources, weights)
}

type lawAttr struct {
	Power     int     `doc:"how the sum of a pair falls with its distance, from 1 to 16"`
	Softening float64 `default:"0" doc:"the distance that every pair has beside its own"`
}

func (a lawAttr) law() Law { return Law(a) }

// mostPower bounds the power of a law, so that powers of common distances are numbers.
const mostPower = 16

// check reports operands that are not points of d dimensions, and a law that is none.
func (a lawAttr) check(c *ops.Call) error {
	x, s, w := c.Shape(0), c.Shape(1), c.Shape(2)
	switch {
	case len(x) != 2 || len(s) != 2 || x[1] != s[1] || x[1] < 1 || x[1] > 3:
		return fmt.Errorf("targets are %v and sources %v, not [n, d] and [m, d] with a d of 1, 2 or 3", x, s)
	case len(w) != 1 || w[0] != s[0]:
		return fmt.Errorf("weights are %v for sources of %v", w, s)
	case max(x[0], s[0]) > math.MaxInt32/4:
		return fmt.Errorf("%d targets and %d sources; %d are the most", x[0], s[0], math.MaxInt32/4)
	case a.Power < 1 || a.Power > mostPower:
		return fmt.Errorf("the power %d is not from 1 to %d", a.Power, mostPower)
	case !(a.Softening >= 0) || math.IsInf(a.Softening, 0):
		return errors.New("the softening is not a length")
	}
	return nil
}

var operands = []ops.Operand{{Name: "targets"}, {Name: "sources"}, {Name: "weights"}}

var _ = ops.MustDefine(ops.Op{
	Name: "nbody.potentials", Category: "numerical tools", Attributes: ops.AttributesOf[lawAttr](), Operands: operands, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		return c.Shape(0)[:min(1, len(c.Shape(0)))], c.DType(0), c.Attr.(lawAttr).check(c)
	},
	Compose: func(c *ops.Call) *ops.Node { return sums(c, false) },
	Grad: func(b *ops.Back) {
		law := b.Attr().(lawAttr).law()
		x, s, w, g := b.In(0), b.In(1), b.In(2), b.Grad()
		steeper := Law{law.Power + 2, law.Softening}
		if steeper.Power > mostPower && (b.Wants(0) || b.Wants(1)) {
			b.Fail(fmt.Errorf("the derivative of a power of %d has a higher one than %d", law.Power, mostPower))
			return
		}
		times := func(f, by *ops.Node) *ops.Node { return ops.Mul(f, ops.ExpandDims(ops.Mul(by, law.Power), -1)) }
		if b.Wants(0) {
			b.Add(0, times(Forces(x, s, w, steeper), g))
		}
		if b.Wants(1) {
			b.Add(1, times(Forces(s, x, g, steeper), w))
		}
		if b.Wants(2) {
			b.Add(2, Potentials(s, x, g, law))
		}
	},
})

var _ = ops.MustDefine(ops.Op{
	Name: "nbody.forces", Category: "numerical tools", Attributes: ops.AttributesOf[lawAttr](), Operands: operands, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		return c.Shape(0), c.DType(0), c.Attr.(lawAttr).check(c)
	},
	Compose: func(c *ops.Call) *ops.Node { return sums(c, true) },
	Grad: func(b *ops.Back) {
		x, s, w := b.In(0), b.In(1), b.In(2)
		f := forcesOfPairs(x, s, w, b.Attr().(lawAttr))
		for i, d := range ops.VJP([]*ops.Node{f}, []*ops.Node{x, s, w}, []*ops.Node{b.Grad()}) {
			if b.Wants(i) {
				b.Add(i, d)
			}
		}
	},
})

// forcesOfPairs computes Forces from a tensor of all pairs.
func forcesOfPairs(x, s, w *ops.Node, a lawAttr) *ops.Node {
	d := ops.Sub(ops.ExpandDims(s, 0), ops.ExpandDims(x, 1)) // [n, m, d]
	r2 := ops.Add(ops.Sum(ops.Square(d), -1), a.Softening*a.Softening)
	least, most := limits(x.DType())
	none := ops.LogicalOr(ops.Less(r2, least), ops.Greater(r2, most))
	root := ops.Rsqrt(ops.Where(none, ops.OnesLike(r2), r2)) // whose derivative must be a number where the pair counts nothing
	p := ops.Where(none, ops.ZerosLike(r2), ops.Mul(w, ops.Pow(root, float64(a.Power))))
	return ops.Sum(ops.Mul(ops.ExpandDims(p, -1), d), 1)
}

// limits are the smallest normal number of a dtype and the largest.
func limits(dt tensor.DType) (least, most float64) {
	if dt == tensor.Float64 {
		return 0x1p-1022, math.MaxFloat64
	}
	return 0x1p-126, math.MaxFloat32
}

package contract

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// sumBlocks is how a kernel of contractions takes sums of many terms: lib/block_sums.cl says what
// it means.
type sumBlocks struct {
	levels        int
	terms, blocks int64
}

// More terms than fewTerms are summed block by block; past manyTerms blocks are short, which costs kernels that
// compute in registers some percent and keeps sums of equal terms, whose rounding errors all go one way, below
// a relative error of 2e-6.
const (
	fewTerms  = 512
	manyTerms = 1 << 14
)

// sums chooses the blocks of sums of the given number of terms each, of the c.k there are: where lanes or chunks are
// summed apart, these are fewer.
func (c *Contraction) sums(terms int64) sumBlocks {
	s := sumBlocks{terms: fewTerms, blocks: manyTerms / fewTerms}
	if c.K > manyTerms {
		s.terms, s.blocks = 128, 16
	}
	switch {
	case !c.Acc.IsFloat() || terms <= s.terms: // integers wrap around, whatever the order
		s.levels = 0
	case terms <= s.terms*s.blocks:
		s.levels = 1
	default:
		s.levels = 2
	}
	return s
}

// unitTerms is how many terms matrix units add at once, exactly or nearly so: they round once for all.
const unitTerms = 16

// unitSums is sums for matrix units. Where the result is rounded to 11 bits or 8, their blocks are longer: as if half as
// many roundings were allowed in one, because some units cut digits off where others round.
func (c *Contraction) unitSums(terms int64) sumBlocks {
	if !c.hasUnits() || slices.ContainsFunc(c.Task.Outs, func(o engine.Operand) bool { return o.DType.Size() > 2 }) {
		return c.sums(terms)
	}
	s := c.sums(variant.CeilDiv(2*terms, unitTerms))
	s.terms *= unitTerms / 2
	return s
}

// macros defines s for lib/block_sums.cl.
func (s sumBlocks) macros(g *codegen.Builder) {
	g.Macro("LEVELS", s.levels)
	if s.levels > 0 {
		g.Macro("TERMS", s.terms)
	}
	if s.levels > 1 {
		g.Macro("BLOCKS", s.blocks)
	}
}

// manySums reports whether so many partial sums are added one after the other that their
// rounding errors are carried along.
func (c *Contraction) manySums(n int64) bool { return c.Acc.IsFloat() && n > 32 }

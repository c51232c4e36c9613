package contract

import (
	"errors"
	"fmt"
	"maps"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

var (
	errNotPlain     = errors.New("the operand cannot be read in place")
	errLocalMem     = errors.New("the block is larger than its share of local memory")
	errPartsSize    = errors.New("the partial sums are too large")
	errNoWarpgroups = errors.New("the matrix units do not take warpgroups")
	errNoLanes      = errors.New("without sub-groups of the device's own a group is a single one")
)

func contractChooser[T any](c *Contraction, name string, byRule func() T, settle func(*T) error,
	plan func(T) (*variant.Plan, error)) variant.Chooser[T] {
	return variant.Chooser[T]{
		Name: name, Why: "any contraction", Kind: engine.Contract, Limits: c.Device.Limits(c.PanelLanes(), c.AccSize),
		ByRule: byRule, Settle: settle, Plan: plan,
	}
}

// packing is a plan that lays out an operand, and the size of the result, which is kept from run to run, or scratch memory.
func packing(params string, bytes int64, keep bool) *variant.Plan {
	if keep {
		return &variant.Plan{Params: params, Kept: []int64{bytes}}
	}
	return &variant.Plan{Params: params, Scratch: []int64{bytes}}
}

// partsFit reports whether the partial sums of the given number of splits may be kept.
func (c *Contraction) partsFit(splits int64) error {
	if splits > 1 && splits*c.Batches*c.m*c.n*c.AccSize > min(facts.MaxParts, c.Device.MaxAlloc) {
		return errPartsSize
	}
	return nil
}

func (c *Contraction) panel() variant.Variant {
	return variant.Tunable[panelChoice](contractChooser(c, "panel", c.ChoosePanel, c.settlePanel, c.PlanPanel))
}

func (p *panelChoice) Knobs() []variant.Knob {
	return []variant.Knob{
		variant.Counter("rows", &p.Shape.Rows), variant.Counter("vectors", &p.Shape.Vectors),
		variant.Toggle("pack_a", &p.PackA), variant.Toggle("pack_b", &p.PackB), variant.Toggle("across", &p.Across),
		variant.Counter("tiles", &p.Tiles), variant.Counter("splits", &p.Splits),
	}
}

func (c *Contraction) settlePanel(p *panelChoice) error {
	if !p.PackA && (!c.A.Plain || c.unit != nil && !c.directA()) || !p.PackB && !c.directB(p.Shape) {
		return errNotPlain
	}
	p.keepB = p.PackB && c.canKeepB(p.Shape)
	p.Split(c, max(p.Splits, p.leastSplits(c)))
	return c.partsFit(p.Splits)
}

func (c *Contraction) block() variant.Variant {
	return variant.Tunable[BlockChoice](contractChooser(c, "block", c.ChooseBlock, c.settleBlock, c.PlanBlock))
}

func (p *BlockChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &p.rows), variant.Counter("panels", &p.panels), variant.Counter("depth", &p.Depth),
		variant.Counter("splits", &p.splits)}
}

func (c *Contraction) settleBlock(p *BlockChoice) error {
	p.Split(c, p.splits)
	p.Depth = min(p.Depth, p.Chunk)
	p.rows = variant.RoundUp(min(p.rows, c.m), int64(p.Shape.Rows))
	p.panels = min(p.panels, variant.CeilDiv(c.n, int64(p.Shape.Columns())))
	if !p.fits() {
		return errLocalMem
	}
	return c.partsFit(p.splits)
}

func (c *Contraction) stream() variant.Variant {
	v := variant.Tunable[streamChoice](contractChooser(c, "stream", c.ChooseStream, c.settleStream, c.PlanStream))
	v.Why = "a matrix whose columns adjoin"
	return v
}

func (s *streamChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("columns", &s.columns), variant.Counter("steps", &s.steps), variant.Counter("splits", &s.splits)}
}

func (c *Contraction) settleStream(s *streamChoice) error {
	if !c.StreamLegal() {
		return errNotPlain
	}
	s.Split(c, s.splits)
	if s.columns > kernels.StreamSpace(c.Device.LocalMem, int(c.AccSize)) {
		return errLocalMem
	}
	return c.partsFit(s.splits)
}

func (c *Contraction) dot() variant.Variant {
	v := variant.Tunable[dotChoice](contractChooser(c, "dot", c.ChooseDot, c.settleDot, c.PlanDot))
	v.Why = "operands that adjoin along k"
	return v
}

func (d *dotChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("rows", &d.rows), variant.Counter("cols", &d.cols), variant.Counter("unroll", &d.unroll),
		variant.Counter("splits", &d.splits)}
}

func (c *Contraction) settleDot(d *dotChoice) error {
	d.Split(c, d.splits)
	return c.partsFit(d.splits)
}

func (c *Contraction) tile() variant.Variant {
	return variant.Tunable[tileChoice](contractChooser(c, "tile", c.ChooseTile, c.settleTile, c.PlanTile))
}

func (t *tileChoice) Knobs() []variant.Knob {
	s := &t.Shape
	return []variant.Knob{
		variant.Counter("m", &s.M), variant.Counter("n", &s.N), variant.Counter("k", &s.K), variant.Counter("x", &s.X),
		variant.Counter("y", &s.Y),
		variant.Counter("vector", &s.Vector), variant.Counter("stages", &s.Stages), variant.Counter("slices", &s.Slices),
		variant.Toggle("wide", &t.Wide), variant.Counter("splits", &t.splits),
	}
}

func (c *Contraction) settleTile(t *tileChoice) error {
	t.Split(c, t.splits)
	return c.partsFit(t.splits)
}

func (c *Contraction) mma() variant.Variant {
	v := variant.Tunable[MMAChoice](contractChooser(c, "mma", c.chooseMMA, c.settleMMA, c.PlanMMA))
	v.Why = "operands of a half type"
	return v
}

func (t *MMAChoice) Knobs() []variant.Knob {
	s := &t.Shape
	return []variant.Knob{
		variant.Counter("m", &s.M), variant.Counter("n", &s.N), variant.Counter("k", &s.K), variant.Counter("x", &s.X),
		variant.Counter("y", &s.Y),
		variant.Counter("stages", &s.Stages), variant.Toggle("warpgroups", &s.Warpgroups), variant.Counter("splits", &t.Splits),
	}
}

func (c *Contraction) settleMMA(t *MMAChoice) error {
	if t.Shape.Warpgroups && !c.hasWarpgroups() {
		return errNoWarpgroups
	}
	if t.Shape.LocalBytes()+c.unitsBytes(t.Shape) > c.Device.LocalMem {
		return errLocalMem
	}
	t.split(c, t.Splits)
	return c.partsFit(t.Splits)
}

func (c *Contraction) subgroup() variant.Variant {
	f := contractChooser(c, "subgroup", c.chooseSubgroup, c.settleSubgroup, c.PlanSubgroup)
	f.Limits.Lanes = c.subgroupLanes()
	return variant.Tunable[SubgroupChoice](f)
}

func (t *SubgroupChoice) Knobs() []variant.Knob {
	s := &t.Shape
	return []variant.Knob{
		variant.Counter("rows", &s.Rows), variant.Counter("vectors", &s.Vectors), variant.Counter("k", &s.K),
		variant.Counter("x", &s.X), variant.Counter("y", &s.Y), variant.Counter("splits", &t.Splits),
	}
}

func (c *Contraction) settleSubgroup(t *SubgroupChoice) error {
	if c.Device.SubgroupLanes == 0 && t.Shape.X*t.Shape.Y > 1 {
		return errNoLanes
	}
	t.split(c, t.Splits)
	return c.partsFit(t.Splits)
}

func (c *Contraction) row() variant.Variant {
	return variant.Tunable[rowChoice](contractChooser(c, "row", c.ChooseRow, c.settleRow, c.PlanRow))
}

func (r *rowChoice) Knobs() []variant.Knob {
	return []variant.Knob{variant.Counter("group", &r.group), variant.Counter("lanes", &r.lanes), variant.Counter("rows", &r.rows),
		variant.Counter("columns", &r.columns), variant.Counter("splits", &r.splits)}
}

func (c *Contraction) settleRow(r *rowChoice) error {
	r.columns = min(r.columns, r.group)
	r.Split(c, r.splits)
	return c.partsFit(r.splits)
}

// swapKnob is the parameter that exchanges the operands.
const swapKnob = "swap"

// eitherOrientation adds the parameter that exchanges A and B. c is the way of the rule,
// as apart makes it.
func eitherOrientation(c *Contraction, apart func(swap bool) *Contraction, make func(*Contraction) variant.Variant) variant.Variant {
	v := make(c)
	rule, tuned := v.Rule, v.Tuned
	v.Rule = func() kernels.Params {
		p := rule()
		p[swapKnob] = int64(codegen.OneIf(c.swapped))
		return p
	}
	v.Tuned = func(p kernels.Params) (*variant.Plan, error) {
		p = maps.Clone(p)
		swap, set := p[swapKnob]
		delete(p, swapKnob)
		plan := tuned
		switch {
		case !set || swap == int64(codegen.OneIf(c.swapped)):
			swap = int64(codegen.OneIf(c.swapped))
		case swap == 0 || swap == 1:
			other := make(apart(swap == 1))
			plan = other.Tuned
		default:
			return nil, fmt.Errorf("ocl: %s is 0 or 1, not %d", swapKnob, swap)
		}
		made, err := plan(p)
		if err == nil {
			made.Values[swapKnob] = swap
		}
		return made, err
	}
	return v
}

package ocl

import (
	"errors"
	"fmt"
	"maps"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
)

var (
	errNotPlain  = errors.New("the operand cannot be read in place")
	errLocalMem  = errors.New("the block is larger than its share of local memory")
	errPartsSize = errors.New("the partial sums are too large")
	errNoLanes   = errors.New("without sub-groups of the device's own a group is a single one")
)

// maxParts bounds the partial sums of a k that the tuner splits, in bytes.
const maxParts = 256 << 20

func contractChooser[T any](c *contraction, name string, byRule func() T, settle func(*T) error, plan func(T) (*plan, error)) chooser[T] {
	return chooser[T]{
		name: name, why: "any contraction", kind: engine.Contract, limits: c.dev.limits(c.panelLanes(), c.accSize),
		byRule: byRule, settle: settle, plan: plan,
	}
}

// partsFit reports whether the partial sums of so many splits may be kept.
func (c *contraction) partsFit(splits int64) error {
	if splits > 1 && splits*c.b*c.m*c.n*c.accSize > min(maxParts, c.dev.maxAlloc) {
		return errPartsSize
	}
	return nil
}

func (c *contraction) panel() variant {
	return tunable[panelChoice](contractChooser(c, "panel", c.choosePanel, c.settlePanel, c.planPanel))
}

func (p *panelChoice) knobs() []knob {
	return []knob{
		counter("rows", &p.shape.Rows), counter("vectors", &p.shape.Vectors),
		toggle("pack_a", &p.packA), toggle("pack_b", &p.packB), toggle("across", &p.across), counter("tiles", &p.tiles), counter("splits", &p.splits),
	}
}

func (c *contraction) settlePanel(p *panelChoice) error {
	if !p.packA && (!c.a.plain || c.unit != nil && !c.directA()) || !p.packB && !c.directB(p.shape) {
		return errNotPlain
	}
	p.keepB = p.packB && c.canKeepB(p.shape)
	p.split(c, max(p.splits, p.leastSplits(c)))
	return c.partsFit(p.splits)
}

func (c *contraction) block() variant {
	return tunable[blockChoice](contractChooser(c, "block", c.chooseBlock, c.settleBlock, c.planBlock))
}

func (p *blockChoice) knobs() []knob {
	return []knob{counter("rows", &p.rows), counter("panels", &p.panels), counter("depth", &p.depth), counter("splits", &p.splits)}
}

func (c *contraction) settleBlock(p *blockChoice) error {
	p.split(c, p.splits)
	p.depth = min(p.depth, p.chunk)
	p.rows = roundUp(min(p.rows, c.m), int64(p.shape.Rows))
	p.panels = min(p.panels, ceilDiv(c.n, int64(p.shape.Columns())))
	if !p.fits() {
		return errLocalMem
	}
	return c.partsFit(p.splits)
}

func (c *contraction) stream() variant {
	v := tunable[streamChoice](contractChooser(c, "stream", c.chooseStream, c.settleStream, c.planStream))
	v.why = "a matrix whose columns adjoin"
	return v
}

func (s *streamChoice) knobs() []knob {
	return []knob{counter("columns", &s.columns), counter("steps", &s.steps), counter("splits", &s.splits)}
}

func (c *contraction) settleStream(s *streamChoice) error {
	if !c.streamLegal() {
		return errNotPlain
	}
	s.split(c, s.splits)
	if s.columns > kernels.StreamSpace(c.dev.localMem, int(c.accSize)) {
		return errLocalMem
	}
	return c.partsFit(s.splits)
}

func (c *contraction) dot() variant {
	v := tunable[dotChoice](contractChooser(c, "dot", c.chooseDot, c.settleDot, c.planDot))
	v.why = "operands that adjoin along k"
	return v
}

func (d *dotChoice) knobs() []knob {
	return []knob{counter("rows", &d.rows), counter("cols", &d.cols), counter("unroll", &d.unroll), counter("splits", &d.splits)}
}

func (c *contraction) settleDot(d *dotChoice) error {
	d.split(c, d.splits)
	return c.partsFit(d.splits)
}

func (c *contraction) tile() variant {
	return tunable[tileChoice](contractChooser(c, "tile", c.chooseTile, c.settleTile, c.planTile))
}

func (t *tileChoice) knobs() []knob {
	s := &t.shape
	return []knob{
		counter("m", &s.M), counter("n", &s.N), counter("k", &s.K), counter("x", &s.X), counter("y", &s.Y),
		counter("vector", &s.Vector), counter("stages", &s.Stages),
		toggle("wide", &t.wide), counter("splits", &t.splits),
	}
}

func (c *contraction) settleTile(t *tileChoice) error {
	t.split(c, t.splits)
	return c.partsFit(t.splits)
}

func (c *contraction) mma() variant {
	v := tunable[mmaChoice](contractChooser(c, "mma", c.chooseMMA, c.settleMMA, c.planMMA))
	v.why = "operands of a half type"
	return v
}

func (t *mmaChoice) knobs() []knob {
	s := &t.shape
	return []knob{
		counter("m", &s.M), counter("n", &s.N), counter("k", &s.K), counter("x", &s.X), counter("y", &s.Y),
		counter("stages", &s.Stages), counter("splits", &t.splits),
	}
}

func (c *contraction) settleMMA(t *mmaChoice) error {
	if t.shape.LocalBytes()+c.unitsBytes(t.shape) > c.dev.localMem {
		return errLocalMem
	}
	t.split(c, t.splits)
	return c.partsFit(t.splits)
}

func (c *contraction) subgroup() variant {
	f := contractChooser(c, "subgroup", c.chooseSubgroup, c.settleSubgroup, c.planSubgroup)
	f.limits.Lanes = c.subgroupLanes()
	return tunable[subgroupChoice](f)
}

func (t *subgroupChoice) knobs() []knob {
	s := &t.shape
	return []knob{
		counter("rows", &s.Rows), counter("vectors", &s.Vectors), counter("k", &s.K),
		counter("x", &s.X), counter("y", &s.Y), counter("splits", &t.splits),
	}
}

func (c *contraction) settleSubgroup(t *subgroupChoice) error {
	if c.dev.lanes == 0 && t.shape.X*t.shape.Y > 1 {
		return errNoLanes
	}
	t.split(c, t.splits)
	return c.partsFit(t.splits)
}

func (c *contraction) row() variant {
	return tunable[rowChoice](contractChooser(c, "row", c.chooseRow, c.settleRow, c.planRow))
}

func (r *rowChoice) knobs() []knob {
	return []knob{counter("group", &r.group), counter("lanes", &r.lanes), counter("rows", &r.rows), counter("splits", &r.splits)}
}

func (c *contraction) settleRow(r *rowChoice) error {
	r.split(c, r.splits)
	return c.partsFit(r.splits)
}

const swapKnob = "swap"

// eitherWay adds the parameter that exchanges A and B. c is the way of the rule,
// as apart makes it.
func eitherWay(c *contraction, apart func(swap bool) *contraction, make func(*contraction) variant) variant {
	v := make(c)
	rule, tuned := v.rule, v.tuned
	v.rule = func() kernels.Params {
		p := rule()
		p[swapKnob] = int64(oneIf(c.swapped))
		return p
	}
	v.tuned = func(p kernels.Params) (*plan, error) {
		p = maps.Clone(p)
		swap, set := p[swapKnob]
		delete(p, swapKnob)
		plan := tuned
		switch {
		case !set || swap == int64(oneIf(c.swapped)):
			swap = int64(oneIf(c.swapped))
		case swap == 0 || swap == 1:
			other := make(apart(swap == 1))
			plan = other.tuned
		default:
			return nil, fmt.Errorf("ocl: %s is 0 or 1, not %d", swapKnob, swap)
		}
		made, err := plan(p)
		if err == nil {
			made.values[swapKnob] = swap
		}
		return made, err
	}
	return v
}

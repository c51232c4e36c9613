package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// Way is one way of running a contraction: a plan that a test makes by hand.
type Way struct {
	Name string
	Plan func(t *engine.Task) (*variant.Plan, error)
}

// Effort is how many ways of running a task a test tries: each costs compilations.
type Effort int

const (
	ChosenWays  Effort = iota // the choice on a CPU, and the simplest
	EachKernel                // every kernel once
	EveryOption               // every option that changes a kernel's text
)

// Ways are plans that can run t, a contraction.
func Ways(t *engine.Task, e Effort) []Way {
	var ws []Way
	add := func(from Effort, name string, d *facts.Device, swap bool, f func(c *contract.Contraction) (*variant.Plan, error)) {
		if e >= from {
			ws = append(ws, Way{name, func(t *engine.Task) (*variant.Plan, error) { return f(contract.Separate(d, access.Collapse(t), swap)) }})
		}
	}
	wide := ocltest.CPU(16)
	add(ChosenWays, "item", wide, false, (*contract.Contraction).PlanItem)
	add(EveryOption, "item swapped", wide, true, (*contract.Contraction).PlanItem)

	row := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			r := c.ChooseRow()
			if split {
				r.Split(c, 3)
			}
			return c.PlanRow(r)
		}
	}
	add(EveryOption, "row cpu", wide, false, row(false))
	add(EveryOption, "row cpu split", wide, false, row(true))
	add(EveryOption, "row", ocltest.GPU(64), false, row(false))
	add(EachKernel, "row split", ocltest.GPU(64), true, row(true))

	dot := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			d := c.ChooseDot()
			if split {
				d.Split(c, 3)
			}
			return c.PlanDot(d)
		}
	}
	if contract.Separate(wide, access.Collapse(t), false).AlongK() {
		add(EachKernel, "dot", wide, false, dot(false))
		add(EveryOption, "dot of 8 lanes", ocltest.CPU(8), true, dot(false))
		add(EveryOption, "dot of 4 lanes split", ocltest.CPU(4), false, dot(true))
	}

	stream := func(splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			s := c.ChooseStream()
			if splits > 0 {
				s.Split(c, splits)
			}
			return c.PlanStream(s)
		}
	}
	if contract.Separate(wide, access.Collapse(t), false).StreamLegal() {
		add(EachKernel, "stream", wide, false, stream(0))
		add(EveryOption, "stream of 4 lanes split", ocltest.CPU(4), false, stream(3))
	}
	if contract.Separate(wide, access.Collapse(t), true).StreamLegal() {
		add(EachKernel, "stream swapped split", wide, true, stream(2))
	}

	tile := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			t := c.ChooseTile()
			if split {
				t.Split(c, 3)
			}
			return c.PlanTile(t)
		}
	}
	add(EveryOption, "tile", ocltest.GPU(256), false, tile(false))
	add(EveryOption, "tile of groups of 64", ocltest.GPU(64), false, tile(false))
	add(EveryOption, "tile of groups of 16", ocltest.GPU(16), false, tile(false))
	add(EveryOption, "tile of groups of 1", ocltest.GPU(1), false, tile(false))
	add(EachKernel, "tile split", ocltest.GPU(64), true, tile(true))
	add(EachKernel, "tile in two stages", ocltest.GPU(256), false, func(c *contract.Contraction) (*variant.Plan, error) {
		t := c.ChooseTile()
		t.Shape.Stages = 2
		return c.PlanTile(t)
	})
	add(EveryOption, "tile of single elements", ocltest.GPU(256), true, func(c *contract.Contraction) (*variant.Plan, error) {
		t := c.ChooseTile()
		t.Wide = false
		return c.PlanTile(t)
	})

	panel := func(packA, packB bool, limit, splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChoosePanel()
			p.PackA, p.PackB, p.Limit = p.PackA || packA, p.PackB || packB, limit
			p.Split(c, max(p.Splits, splits))
			return c.PlanPanel(p)
		}
	}
	block := func(splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChooseBlock()
			p.Lots = min(c.Batches, 2)
			if splits > 0 {
				p.Split(c, splits)
				p.Depth = min(p.Depth, p.Chunk)
			}
			return c.PlanBlock(p)
		}
	}
	little := func(lanes int) *facts.Device {
		d := ocltest.CPU(lanes)
		d.LocalMem = 8 << 10
		return d
	}
	add(ChosenWays, "block", wide, false, block(0))
	add(EachKernel, "block swapped", wide, true, block(0))
	add(EachKernel, "block in steps", little(16), false, block(0))
	add(EveryOption, "block in steps split", little(8), true, block(3))
	add(EveryOption, "block of 4 lanes", ocltest.CPU(4), false, block(2))
	const roomy, tight = contract.PackBytes, 20 << 10
	add(ChosenWays, "panel", wide, false, panel(false, false, roomy, 0))
	add(EachKernel, "panel swapped", wide, true, panel(false, false, roomy, 0))
	add(EachKernel, "panel packed split in blocks", wide, false, panel(true, true, tight, 4))
	add(EveryOption, "panel packed", wide, true, panel(true, true, roomy, 0))
	add(EveryOption, "panel packed in blocks", wide, false, panel(true, true, tight, 0))
	add(EveryOption, "panel across, from afar", wide, false, func(c *contract.Contraction) (*variant.Plan, error) {
		p := c.ChoosePanel()
		p.Across, p.Far, p.Tiles = true, c.A.AlongK(), 2
		return c.PlanPanel(p)
	})
	add(EveryOption, "panel packed b split", wide, true, panel(false, true, roomy, 3))
	far := *wide
	far.ForceWide = true
	add(EveryOption, "panel with long positions", &far, false, panel(true, true, tight, 0))
	add(EveryOption, "tile with long positions", &facts.Device{Name: "gpu", Units: 20, WorkGroup: 64, LocalMem: 32 << 10, ArgBytes: 1024, MaxAlloc: 1 << 30, FP64: true, ForceWide: true}, true, tile(true))
	add(EveryOption, "panel of 8 lanes", ocltest.CPU(8), false, panel(false, false, roomy, 0))
	add(EveryOption, "panel of 4 lanes packed split", ocltest.CPU(4), true, panel(true, true, tight, 4))
	return ws
}

package frame

import (
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/ops"
)

// Graphs returns the graphs that the device has compiled.
func (d *Device) Graphs() []*ops.Graph { return d.side.Graphs() }

// OnDevice returns how many steps of a plan ran as graphs.
func (r *Result) OnDevice() int {
	n := 0
	var walk func(p *plan.Plan)
	walk = func(p *plan.Plan) {
		if p.Where != "" {
			n++
		}
		for _, in := range p.In {
			walk(in)
		}
	}
	walk(r.plan)
	return n
}

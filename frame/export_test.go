package frame

import (
	"github.com/anycl/anycl/ops"
)

// Graphs returns the graphs that the device has compiled.
func (d *Device) Graphs() (all []*ops.Graph) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.all {
		if p.exe != nil && len(p.inputs) > 0 {
			all = append(all, p.inputs[0].Graph())
		}
	}
	return all
}

// OnDevice returns how many steps of a plan ran as graphs.
func (r *Result) OnDevice() int {
	n := 0
	var walk func(p *plan)
	walk = func(p *plan) {
		if p.where != "" {
			n++
		}
		for _, in := range p.in {
			walk(in)
		}
	}
	walk(r.plan)
	return n
}

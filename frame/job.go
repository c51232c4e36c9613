package frame

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
)

// launch decides where steps run, and runs them.
func (x *exec) launch(steps []*plan, f *Frame, rights map[*plan]*Frame, r *relation, o *outcome) (n int, g *Frame, run bool, err error) {
	d := x.device
	broken := -1
	if r.broken != nil {
		all := r.broken[0]
		for _, b := range r.broken[1:] {
			all = ops.Or(all, b)
		}
		broken = o.add(ops.Any(all))
	}
	if err := r.g.Err(); err != nil {
		steps[0].why = err.Error()
		return 0, nil, false, nil
	}
	if !r.reads(o.nodes) {
		steps[0].why = "no column is read"
		return 0, nil, false, nil
	}
	r.note("compact %v", r.compact)
	prog, err := d.program(r.text.String())
	if err != nil {
		return 0, nil, true, err
	}
	bytes := o.bytes
	for _, f := range r.feeds {
		bytes += f.bytes
		if d.most > 0 && f.bytes > d.most {
			steps[0].why = fmt.Sprintf("%s are more than one allocation of the device", size(f.bytes))
			return 0, nil, false, nil
		}
	}
	job := job{Device: d, program: prog, steps: steps, r: r, o: o, rows: f.rows, bytes: bytes}
	on, final, why := job.decide()
	if !on {
		n, g, err = x.onCPU(&job, f, rights, why)
		return n, g, !final, err
	}
	if err := x.reserve(o.bytes); err != nil {
		return 0, nil, true, err
	}
	start := time.Now()
	g, err = job.run(x.pool.Context, broken)
	if err != nil {
		if x.pool.Context.Err() != nil {
			return 0, nil, true, context.Cause(x.pool.Context)
		}
		prog.cost.refuse(f.rows)
		n, g, err = x.onCPU(&job, f, rights, err.Error())
		return n, g, false, err
	}
	took := time.Since(start)
	top := steps[len(steps)-1]
	for _, p := range steps {
		p.stats = stats{ran: true, fused: p != top}
		p.where, p.why = d.name, why
		if p != top {
			p.why = "in one graph with the step above"
		}
	}
	for _, n := range r.notes {
		top.why += "; " + n
	}
	top.stats.rows, top.stats.bytes, top.stats.time = g.rows, g.Bytes(), took
	x.live.Add(top.stats.bytes)
	x.release(steps[0].in[0])
	for _, p := range steps {
		if p.op == "join" {
			x.release(p.in[1])
		}
	}
	return len(steps), g, true, x.reserve(0)
}

// reads reports whether outputs depend on an input with an element for each row, which says how many there are.
func (r *relation) reads(outputs []*ops.Node) bool {
	seen := map[*ops.Node]bool{}
	todo := slices.Clone(outputs)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if in := n.Operands(); len(in) > 0 {
			todo = append(todo, in...)
		} else if n.Op().Name == "input" && n.Dim(0) == r.rows {
			return true
		}
	}
	return false
}

// onCPU runs steps on the CPU path, and measures them.
func (x *exec) onCPU(j *job, f *Frame, rights map[*plan]*Frame, why string) (int, *Frame, error) {
	start := time.Now()
	for _, p := range j.steps {
		in := []*Frame{f}
		if len(p.in) > 1 {
			in = append(in, rights[p])
		}
		p.why = why
		var err error
		if f, err = x.finish(p, in); err != nil {
			return 0, nil, err
		}
	}
	if !j.waiting { // while a compiler works, times are not those of the steps
		j.program.cost.add(onHost, j.rows, time.Since(start))
	}
	if j.begin {
		j.compileBeside()
	}
	return len(j.steps), f, nil
}

// job is steps that a device may run.
type job struct {
	*Device
	program *program
	steps   []*plan
	r       *relation
	o       *outcome
	rows    int
	bytes   int64
	begin   bool // to compile the graph when the CPU path is done
	waiting bool // the graph is being compiled
}

// run runs the steps on the device.
func (j *job) run(ctx context.Context, broken int) (*Frame, error) {
	if err := j.program.compile(ctx, j.Device, j.r.lowering, j.o); err != nil {
		return nil, err
	}
	start := time.Now()
	out, err := j.program.run(ctx, j.r.lowering)
	if err != nil {
		return nil, err
	}
	if broken >= 0 && out[broken].Float64At(0) != 0 {
		return nil, errBroken
	}
	f, err := j.o.finish(out)
	if err == nil {
		j.program.cost.add(onDevice, j.rows, time.Since(start))
	}
	return f, err
}

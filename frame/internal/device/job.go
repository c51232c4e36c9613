package device

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
)

// launch decides where steps run, and runs them. Its results are those of [fragments.fuse].
func (x *fragments) launch(steps []*plan.Plan, f *table.Table, rights map[*plan.Plan]*table.Table, r *relation, o *outcome,
	begun time.Time) (n int, g *table.Table, stay int, err error) {
	d := x.device
	broken := -1
	if r.Broken != nil {
		all := r.Broken[0]
		for _, b := range r.Broken[1:] {
			all = ops.Or(all, b)
		}
		broken = o.add(ops.Any(all))
	}
	if err := r.Ops.Err(); err != nil {
		steps[0].Why = err.Error()
		return 0, nil, doubled, nil
	}
	if !r.reads(o.nodes) {
		steps[0].Why = "no column is read"
		return 0, nil, doubled, nil
	}
	r.Note("compact %v", r.compact)
	prog, err := d.program(r.Text.String())
	if err != nil {
		return 0, nil, 0, err
	}
	for _, f := range r.Feeds {
		if d.most > 0 && f.Bytes > d.most {
			steps[0].Why = fmt.Sprintf("%s are more than one allocation of the device", table.Size(f.Bytes))
			return 0, nil, doubled, nil
		}
	}
	job := job{Device: d, program: prog, steps: steps, r: r, o: o, rows: f.Rows, begun: begun}
	on, why := job.decide()
	if !on {
		n, g, err = x.onCPU(&job, f, rights, why)
		return n, g, job.stay, err
	}
	if err := x.Reserve(o.bytes); err != nil {
		return 0, nil, 0, err
	}
	g, err = job.run(x.Pool.Context, broken)
	if err != nil {
		if x.Pool.Context.Err() != nil {
			return 0, nil, 0, context.Cause(x.Pool.Context)
		}
		prog.cost.refuse(f.Rows)
		n, g, err = x.onCPU(&job, f, rights, err.Error())
		return n, g, doubled, err
	}
	took := time.Since(begun)
	top := steps[len(steps)-1]
	for _, p := range steps {
		p.Stats = plan.Stats{Ran: true, Fused: p != top}
		p.Where, p.Why = d.name, why
		if p != top {
			p.Why = "in one graph with the step above"
		}
	}
	for _, n := range r.notes {
		top.Why += "; " + n
	}
	top.Stats.Rows, top.Stats.Bytes, top.Stats.Time = g.Rows, g.Bytes(), took
	x.Hold(top.Stats.Bytes)
	x.Release(steps[0].In[0])
	for _, p := range steps {
		if p.Op == "join" {
			x.Release(p.In[1])
		}
	}
	return len(steps), g, 0, x.Reserve(0)
}

// reads reports whether outputs depend on an input with an element for each row, which says how many there are.
func (r *relation) reads(outputs []*ops.Node) bool {
	ofRows := map[*ops.Node]bool{}
	for _, f := range r.Feeds {
		ofRows[f.Node] = f.Node.Dim(0) == r.Rows
	}
	seen := map[*ops.Node]bool{}
	todo := slices.Clone(outputs)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		if ofRows[n] {
			return true
		}
		seen[n] = true
		todo = append(todo, n.Operands()...)
	}
	return false
}

// onCPU runs steps on the CPU path, and measures them.
func (x *fragments) onCPU(j *job, f *table.Table, rights map[*plan.Plan]*table.Table, why string) (int, *table.Table, error) {
	start := time.Now()
	for _, p := range j.steps {
		in := []*table.Table{f}
		if len(p.In) > 1 {
			in = append(in, rights[p])
		}
		p.Why = why
		var err error
		if f, err = x.Finish(p, in); err != nil {
			return 0, nil, err
		}
	}
	if !j.waiting { // while a compiler works, times are not those of the steps
		j.program.cost.add(onHost, j.rows, time.Since(start), j.again)
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
	steps   []*plan.Plan
	r       *relation
	o       *outcome
	rows    int
	begun   time.Time // the building of the graph
	begin   bool      // to compile the graph when the CPU path is done
	waiting bool      // the graph is being compiled
	again   bool      // a try of a side that has not run for a while
	stay    int       // see [fragments.fuse]
}

// run runs the steps on the device.
func (j *job) run(ctx context.Context, broken int) (*table.Table, error) {
	if err := j.program.compile(ctx, j.Device, j.r.Graph, j.o); err != nil {
		return nil, err
	}
	out, err := j.program.run(ctx, j.r.Graph)
	if err != nil {
		return nil, err
	}
	if broken >= 0 && out[broken].Float64At(0) != 0 {
		return nil, errBroken
	}
	f, err := j.o.finish(out)
	if err == nil {
		j.program.cost.add(onDevice, j.rows, time.Since(j.begun), j.again)
	}
	return f, err
}

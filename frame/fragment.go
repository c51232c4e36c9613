package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
)

// fusable are steps that may become part of a graph: those that keep rows where they are, and, as its last one, those that do not.
var fusable = map[string]bool{"project": true, "filter": true, "join": true}

var last = map[string]bool{"group": true, "distinct": true, "sort": true, "topk": true}

// errBroken ends what a device runs when a value does not fit: the CPU path, which runs it again, says which one.
var errBroken = errors.New("a value does not fit")

// fragment runs a plan whose steps may become graphs: as many of them as can be in one.
func (x *exec) fragment(p *plan) (*Frame, error) {
	var steps []*plan // the last first
	base := p
	for (fusable[base.op] || last[base.op]) && !(base.op == "filter" && base.in[0].op == "scan") {
		steps = append(steps, base)
		base = base.in[0]
	}
	f, err := x.run(base)
	if err != nil {
		return nil, err
	}
	slices.Reverse(steps)
	rights := map[*plan]*Frame{}
	for len(steps) > 0 {
		n, g, err := x.fused(steps, f, rights)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			f, steps = g, steps[n:]
			continue
		}
		in := []*Frame{f}
		if len(steps[0].in) > 1 {
			right, err := x.right(steps[0], rights)
			if err != nil {
				return nil, err
			}
			in = append(in, right)
		}
		if f, err = x.finish(steps[0], in); err != nil {
			return nil, err
		}
		steps = steps[1:]
	}
	return f, nil
}

// right runs the right side of a join, once.
func (x *exec) right(p *plan, done map[*plan]*Frame) (*Frame, error) {
	if f, ok := done[p]; ok {
		return f, nil
	}
	f, err := x.run(p.in[1])
	done[p] = f
	return f, err
}

// fused runs the first of some steps as one graph, and says how many: 0 where the first one stays on the CPU path, for a reason that is noted.
func (x *exec) fused(steps []*plan, f *Frame, rights map[*plan]*Frame) (int, *Frame, error) {
	first := steps[0]
	if why := x.device.refuses(f); why != "" {
		first.why = why
		return 0, nil, nil
	}
	text := ""
	if x.device.o.Place == ops.Auto {
		text = textOf(steps, f)
		if why := x.device.leaves(text, f.rows); why != "" {
			first.why = why
			return 0, nil, nil
		}
	}
	n, g, on, err := x.fuse(steps, f, rights)
	if err == nil && !on && text != "" {
		x.device.leave(text, f.rows, first.why)
	}
	return n, g, err
}

// fuse is fused without a look at what has been decided before. On says whether the device ran the steps, or may run them the next time.
func (x *exec) fuse(steps []*plan, f *Frame, rights map[*plan]*Frame) (n int, g *Frame, on bool, err error) {
	first := steps[0]
	r := x.relation(f)
	r.compact = x.device.o.Compact == Yes || x.device.o.Compact == Default && !x.device.host
	taken := 0
	for taken < len(steps) && fusable[steps[taken].op] {
		p := steps[taken]
		var right *Frame
		if p.op == "join" {
			var err error
			if right, err = x.right(p, rights); err != nil {
				return 0, nil, true, err
			}
		}
		if err := r.absorb(p, right); err != nil {
			p.why = err.Error()
			break
		}
		taken++
	}
	var o *outcome
	if taken < len(steps) && last[steps[taken].op] {
		if o, err = r.end(steps[taken]); err != nil {
			steps[taken].why = err.Error()
		} else {
			taken++
		}
	}
	if taken == 0 {
		return 0, nil, false, x.pool.Context.Err()
	}
	if o == nil { // again, without the step that failed
		again := x.relation(f)
		again.compact = r.compact
		for _, p := range steps[:taken] {
			if err := again.absorb(p, rights[p]); err != nil {
				first.why = err.Error()
				return 0, nil, false, nil
			}
		}
		r = again
		if r.work == 0 {
			first.why = nothingComputed
			return 0, nil, false, nil
		}
		if o, err = r.result(); err != nil {
			first.why = err.Error()
			return 0, nil, false, nil
		}
	}
	return x.launch(steps[:taken], f, rights, r, o)
}

// end makes the last step of a graph.
func (r *relation) end(p *plan) (*outcome, error) {
	switch p.op {
	case "group":
		return r.group(p)
	case "distinct":
		return r.distinct(p)
	}
	return r.sort(p)
}

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
	on, final, why := job.decide(x.pool.Context)
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

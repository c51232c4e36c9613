package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Sizes gives open extents their sizes, by the names that [Dim] and [DimUpTo] were given. An extent that is [Dynamic] is
// called after its input and axis, as "x.0".
type Sizes map[string]int

// openPlans are the plans of an executable of a graph with open sizes: one for each combination of sizes with which it runs.
type openPlans struct {
	rt      *Runtime
	graph   *Graph
	target  Target
	wanted  map[*Node]bool // the nodes that the target needs: extents of other inputs are not known
	inputs  []openInput
	bases   []int // the open extents that inputs have
	limit   int
	runs    atomic.Uint32 // of all plans, which draw other random numbers in each
	scratch *exec.Scratch // the memory of intermediate values that all plans have in common

	mu     sync.Mutex
	closed bool
	key    []int // of the run that is being looked up
	last   *openPlan
	plans  map[uint64][]*openPlan // by a hash of their sizes
	count  int
	clock  uint64
}

// openInput is an input, and for each axis the number of its extent among the bases, or -1 for one that is a number.
type openInput struct {
	node *Node
	base []int
}

// openPlan is the executable for one combination of sizes.
type openPlan struct {
	sizes []int
	exe   *Executable
	err   error
	ready chan struct{} // closed when exe or err is there
	users int           // runs, and callers that wait for it
	used  uint64        // when it was last asked for
}

// plansOf prepares to compile target for sizes that are known later. Errors: an extent that no input has; mistakes
// for sizes of all kinds.
func (g *Graph) plansOf(rt *Runtime, target Target) (*openPlans, error) {
	p := &openPlans{rt: rt, graph: g, target: target, limit: target.Plans, plans: map[uint64][]*openPlan{}, scratch: exec.NewScratch()}
	if p.limit <= 0 {
		p.limit = 1024
	}
	wanted := map[*Node]bool{}
	for _, n := range slices.Concat(target.Outputs, target.Updates, target.Volatile) {
		ir.Walk(n, wanted, (*Node).reads, func(*Node) {})
	}
	p.wanted = wanted
	for _, n := range g.nodes {
		if n.op.kind != ir.KindInput || !wanted[n] {
			continue
		}
		in := openInput{node: n}
		for _, d := range n.shape {
			b := -1
			if isOpen(d) {
				if b = slices.Index(p.bases, d); b < 0 {
					b = len(p.bases)
					p.bases = append(p.bases, d)
				}
			}
			in.base = append(in.base, b)
		}
		p.inputs = append(p.inputs, in)
	}
	for _, n := range g.nodes {
		for _, d := range n.shape {
			if wanted[n] && slices.Contains(g.open.bases, d) && !slices.Contains(p.bases, d) {
				return nil, fmt.Errorf("ops: compile %q: %s of %s is the extent of no input that the target needs, so that no run says how large it is", g.name, DimName(d), n)
			}
		}
	}
	p.key = make([]int, len(p.bases))
	return p, nil
}

// reads are the operands of n, and the nodes that its regions read.
func (n *Node) reads() []*Node {
	c, ok := n.attr.(*control)
	if !ok || n.op.kind != ir.KindControl || n.bad {
		return n.in
	}
	all := slices.Clone(n.in)
	for _, r := range c.regions {
		all = append(all, r.roots()...)
	}
	return all
}

// compileOpen is Compile for a graph with open sizes, which has been checked.
func (g *Graph) compileOpen(ctx context.Context, rt *Runtime, target Target) (*Executable, error) {
	p, err := g.plansOf(rt, target)
	if err != nil {
		return nil, err
	}
	if len(p.bases) == 0 && len(target.Sizes) == 0 { // nothing that it needs is open
		return p.compile(ctx, nil)
	}
	x := &Executable{rt: rt, graph: g, open: p}
	for _, in := range p.inputs {
		x.inputs = append(x.inputs, in.node)
	}
	if err := p.try(); err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range target.Sizes {
		if err := p.with(ctx, s); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if errs != nil {
		return nil, errors.Join(append(errs, x.Close())...)
	}
	return x, nil
}

// try finds the mistakes that show when compositions are written out, with the sizes of a sample.
func (p *openPlans) try() error {
	r := newReplay(p.graph, samplesOf(p.graph.open))
	target := p.targetFor(r)
	s := newSimplifier(r.to.spread())
	for _, n := range slices.Concat(target.Outputs, target.Updates) {
		if !n.bad {
			s.simplify(n)
		}
	}
	return r.to.Err()
}

// samplesOf are the sizes of the first sample.
func samplesOf(o *openSizes) map[int]int {
	sizes := map[int]int{}
	for _, h := range o.bases {
		sizes[h] = o.sizes[h][0]
	}
	return sizes
}

// keyOf is the key of sizes that are given by name. Errors: one lacks, or is no extent of an input, or does not fit.
func (p *openPlans) keyOf(s Sizes) ([]int, error) {
	key := make([]int, len(p.bases))
	var wrong []string
	names := map[string]bool{}
	for i, h := range p.bases {
		n, ok := s[DimName(h)]
		if names[DimName(h)] = true; !ok {
			wrong = append(wrong, fmt.Sprintf("%s has no size", DimName(h)))
		} else if err := fitsDim(h, n); err != nil {
			wrong = append(wrong, err.Error())
		}
		key[i] = n
	}
	for name := range s {
		if !names[name] {
			wrong = append(wrong, fmt.Sprintf("%s is no open extent of an input", name))
		}
	}
	if wrong != nil {
		slices.Sort(wrong)
		return nil, fmt.Errorf("ops: compile %q: sizes: %s", p.graph.name, strings.Join(wrong, "; "))
	}
	return key, nil
}

// fitsDim reports a size that the extent h cannot have.
func fitsDim(h, n int) error {
	switch d, _ := dims.of(h); {
	case n < 0:
		return fmt.Errorf("%s is %d", d.name, n)
	case d.most > 0 && n > d.most:
		return fmt.Errorf("%s is %d, more than its bound %d", d.name, n, d.most)
	}
	return nil
}

// bind writes the sizes that feeds have into p.key; it reports whether they fit.
func (p *openPlans) bind(feeds Feeds) bool {
	for i := range p.key {
		p.key[i] = -1
	}
	for i := range p.inputs {
		in := &p.inputs[i]
		t := feeds[in.node]
		if t == nil || t.DType() != in.node.dtype || t.Rank() != len(in.base) {
			return false
		}
		shape := t.Shape()
		for a, b := range in.base {
			switch n := shape[a]; {
			case b < 0 && n != in.node.shape[a]:
				return false
			case b < 0:
			case p.key[b] < 0:
				if fitsDim(p.bases[b], n) != nil {
					return false
				}
				p.key[b] = n
			case p.key[b] != n:
				return false
			}
		}
	}
	return true
}

// misfit says what is wrong with feeds that do not fit.
func (p *openPlans) misfit(feeds Feeds) error {
	var wrong []string
	found := map[int]*Node{} // the inputs by which extents became known
	size := map[int]int{}
	for _, in := range p.inputs {
		n := in.node
		t := feeds[n]
		switch {
		case t == nil:
			wrong = append(wrong, fmt.Sprintf("input %s (%v%s, declared at %s) is missing", n.label(), n.dtype, shapeText(n.shape), n.caller))
			continue
		case t.DType() != n.dtype || t.Rank() != len(n.shape):
			wrong = append(wrong, fmt.Sprintf("input %s is %v%s, not %v%v", n.label(), n.dtype, shapeText(n.shape), t.DType(), t.Shape()))
			continue
		}
		for a, d := range n.shape {
			got := t.Shape()[a]
			first, known := found[d]
			switch {
			case !isOpen(d) && got != d:
				wrong = append(wrong, fmt.Sprintf("input %s is %v%s, not %v%v", n.label(), n.dtype, shapeText(n.shape), t.DType(), t.Shape()))
			case !isOpen(d):
			case known && got != size[d]:
				wrong = append(wrong, fmt.Sprintf("%s is %d in input %s and %d in input %s", DimName(d), size[d], first.label(), got, n.label()))
			case !known:
				if err := fitsDim(d, got); err != nil {
					wrong = append(wrong, fmt.Sprintf("input %s: %v", n.label(), err))
				}
				found[d], size[d] = n, got
			}
		}
	}
	slices.Sort(wrong)
	return fmt.Errorf("%w: run %q: %s", ErrFeed, p.graph.name, strings.Join(slices.Compact(wrong), "; "))
}

// plan is the plan for the sizes of feeds, which [openPlans.release] gives back.
func (p *openPlans) plan(ctx context.Context, feeds Feeds) (*openPlan, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, fmt.Errorf("%w: executable %q", ErrClosed, p.graph.name)
	}
	if !p.bind(feeds) {
		p.mu.Unlock()
		return nil, p.misfit(feeds)
	}
	if v := p.last; v != nil && slices.Equal(v.sizes, p.key) {
		v.users++
		p.mu.Unlock()
		return p.await(ctx, v) // another run may be compiling it
	}
	return p.find(ctx, p.key)
}

// planFor is plan for sizes in the order of the bases.
func (p *openPlans) planFor(ctx context.Context, key []int) (*openPlan, error) {
	p.mu.Lock()
	return p.find(ctx, key)
}

// find is the plan for key, which it makes if there is none. p.mu is held, and let go.
func (p *openPlans) find(ctx context.Context, key []int) (*openPlan, error) {
	h := hashOf(key)
	for _, v := range p.plans[h] {
		if !slices.Equal(v.sizes, key) {
			continue
		}
		v.users++
		p.touch(v)
		p.mu.Unlock()
		return p.await(ctx, v)
	}
	v := &openPlan{sizes: slices.Clone(key), ready: make(chan struct{}), users: 1}
	p.plans[h] = append(p.plans[h], v)
	p.count++
	p.touch(v)
	evicted := p.evict()
	p.mu.Unlock()
	for _, old := range evicted {
		old.exe.Close() // a plan that is left out has nothing to tell
	}
	v.exe, v.err = p.compile(ctx, v.sizes)
	if v.err != nil {
		p.mu.Lock()
		p.remove(v)
		p.mu.Unlock()
	}
	close(v.ready)
	return v, v.err
}

// touch makes v the plan that was used last.
func (p *openPlans) touch(v *openPlan) {
	p.clock++
	v.used, p.last = p.clock, v
}

// await waits until v is compiled by another run.
func (p *openPlans) await(ctx context.Context, v *openPlan) (*openPlan, error) {
	select {
	case <-v.ready:
	case <-ctx.Done():
		p.release(v)
		return nil, ctx.Err()
	}
	if v.err == nil {
		return v, nil
	}
	p.release(v)
	if errors.Is(v.err, context.Canceled) || errors.Is(v.err, context.DeadlineExceeded) { // those of the other
		return p.planFor(ctx, v.sizes)
	}
	return nil, v.err
}

// release ends the use of v by one run.
func (p *openPlans) release(v *openPlan) {
	p.mu.Lock()
	v.users--
	p.mu.Unlock()
}

// evict takes the plans out that were used longest ago and by no run now, while there are more than the limit.
func (p *openPlans) evict() (out []*openPlan) {
	for p.count > p.limit {
		var oldest *openPlan
		for _, all := range p.plans {
			for _, v := range all {
				if v.users == 0 && (oldest == nil || v.used < oldest.used) {
					oldest = v
				}
			}
		}
		if oldest == nil {
			break
		}
		p.remove(oldest)
		out = append(out, oldest)
	}
	return out
}

func (p *openPlans) remove(v *openPlan) {
	h := hashOf(v.sizes)
	before := len(p.plans[h])
	p.plans[h] = slices.DeleteFunc(p.plans[h], func(x *openPlan) bool { return x == v })
	p.count -= before - len(p.plans[h])
	if len(p.plans[h]) == 0 {
		delete(p.plans, h)
	}
	if p.last == v {
		p.last = nil
	}
}

// hashOf is the FNV-1a hash of sizes.
func hashOf(sizes []int) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range sizes {
		for range 4 {
			h = (h ^ uint64(n&0xffff)) * 1099511628211
			n >>= 16
		}
	}
	return h
}

// compile compiles the target for sizes.
func (p *openPlans) compile(ctx context.Context, sizes []int) (*Executable, error) {
	known := samplesOf(p.graph.open) // of extents that only other parts of the graph have
	text := make([]string, len(sizes))
	for i, h := range p.bases {
		known[h] = sizes[i]
		text[i] = fmt.Sprintf("%s = %d", DimName(h), sizes[i])
	}
	r := newReplay(p.graph, known)
	target := p.targetFor(r)
	wrong := func(err error) (*Executable, error) {
		if len(text) == 0 {
			return nil, err
		}
		return nil, fmt.Errorf("with %s: %w", strings.Join(text, ", "), err)
	}
	if err := r.to.Err(); err != nil {
		return wrong(err)
	}
	x, err := r.to.compile(ctx, p.rt, target, &exec.Shared{Runs: &p.runs, Scratch: p.scratch})
	if err != nil {
		return wrong(err)
	}
	origin := map[*Node]*Node{}
	for _, in := range p.inputs {
		origin[r.made[in.node]] = in.node
	}
	for i, n := range x.inputs {
		x.inputs[i] = origin[n]
	}
	x.graph = p.graph
	return x, nil
}

// targetFor is the target in the graph that r builds.
func (p *openPlans) targetFor(r *replay) Target {
	t := p.target
	for _, n := range p.graph.nodes { // in order, so that nothing is reached by a long way
		if n.region == nil && p.wanted[n] {
			r.node(n)
		}
	}
	t.Outputs, t.Updates, t.Volatile = r.nodes(t.Outputs), r.nodes(t.Updates), r.nodes(t.Volatile)
	return t
}

// all are the plans that there are or will be, which [openPlans.release] gives back.
func (p *openPlans) all() (all []*openPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, plans := range p.plans {
		for _, v := range plans {
			v.users++
			all = append(all, v)
		}
	}
	return all
}

// any is a plan that exists, the one used last if there is it, or nil.
func (p *openPlans) any() *openPlan {
	p.mu.Lock()
	defer p.mu.Unlock()
	var newest *openPlan
	for _, all := range p.plans {
		for _, v := range all {
			select {
			case <-v.ready:
				if v.err == nil && (newest == nil || v.used > newest.used) {
					newest = v
				}
			default:
			}
		}
	}
	return newest
}

// close closes every plan once no run uses it.
func (p *openPlans) close() error {
	p.mu.Lock()
	p.closed = true
	var all []*openPlan
	for _, plans := range p.plans {
		all = append(all, plans...)
	}
	p.plans, p.last, p.count = map[uint64][]*openPlan{}, nil, 0
	p.mu.Unlock()
	var errs []error
	for _, v := range all {
		if <-v.ready; v.err == nil {
			errs = append(errs, v.exe.Close())
		}
	}
	return errors.Join(errs...)
}

// run is [Executable.RunInto] with the plan for the sizes of feeds, or [Executable.Run] where outs is nil.
func (p *openPlans) run(ctx context.Context, feeds Feeds, outs []*tensor.Tensor) ([]*tensor.Tensor, error) {
	v, err := p.plan(ctx, feeds)
	if err != nil {
		return nil, err
	}
	defer p.release(v)
	if outs == nil {
		return v.exe.Run(ctx, feeds)
	}
	return outs, v.exe.RunInto(ctx, feeds, outs)
}

// String is one line: the graph's name, its open extents, and how many plans there are.
func (p *openPlans) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := make([]string, len(p.bases))
	for i, h := range p.bases {
		names[i] = DimName(h)
	}
	closed := ""
	if p.closed {
		closed = ", closed"
	}
	return fmt.Sprintf("executable %q%s: %s for sizes of %s", p.graph.name, closed, quantity(p.count, "plan"), strings.Join(names, ", "))
}

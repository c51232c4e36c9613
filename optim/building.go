package optim

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// building is one step that is being built.
type building struct {
	z       *Optimizer
	now     *ops.Node // the number of the step, from 1
	when    *ops.Node // a bool scalar: whether state and parameters change at all; nil: they do
	factor  *ops.Node // of rates, float32; nil: 1
	updates []*ops.Node
	kept    map[*ops.Node]bool
	dry     bool // only the names of the state are wanted
}

// keep makes x the new value of the variable v.
func (b *building) keep(v, x *ops.Node) {
	if b.dry || b.kept[v] { // what parameters share, each gives the same value
		return
	}
	b.kept[v] = true
	if b.when != nil {
		x = ops.Where(b.when, x, v)
	}
	b.updates = append(b.updates, ops.Assign(v, x))
}

// update is a step down the gradients.
func (z *Optimizer) update(grads []*ops.Node, scaled bool) []*ops.Node {
	b := &building{z: z, kept: map[*ops.Node]bool{}}
	grads = append([]*ops.Node(nil), grads...)
	for i, g := range grads {
		if g == nil {
			return []*ops.Node{z.graph.Fail(z.groups[z.of[i]].Rule.Name(), errNilGradient, z.params[i])}
		}
		grads[i] = wide(g)
	}
	grads = b.accumulate(grads)
	z.norm = sumOfSquares(grads)
	if s := z.o.Scale; scaled && s != nil {
		// The norm is taken of what is scaled, so that what is divided need not be stored.
		inverse := ops.Reciprocal(s.scale)
		finite := ops.IsFinite(z.norm)
		s.build(b, finite)
		z.norm = ops.Mul(z.norm, ops.Cast(ops.Square(inverse), z.norm.DType()))
		// What depends on the norm is computed behind it, and in one with what it decides.
		inverse = ops.Where(finite, inverse, ops.ScalarLike(inverse, 0))
		for i, g := range grads {
			grads[i] = ops.Mul(g, ops.Cast(inverse, g.DType()))
		}
	}
	b.now = ops.Add(z.count, ops.ScalarLike(z.count, 1))
	b.keep(z.count, b.now)
	if z.o.Schedule != nil {
		b.factor = z.o.Schedule(z.count)
	}
	if f := z.o.Factor; f != nil {
		if f = ops.Cast(f, tensor.Float32); b.factor != nil {
			f = ops.Mul(b.factor, f)
		}
		b.factor = f
	}
	grads = z.clip(grads)
	for i, g := range grads {
		p := z.params[i]
		next := ops.Cast(ops.Sub(wide(p), b.move(i, g)), p.DType())
		b.keep(p, next)
		z.o.Average.build(b, i, next)
	}
	z.rate = b.rate(0, wide(z.params[0]))
	return b.updates
}

// move is the step of parameter i, which is subtracted from it.
func (b *building) move(i int, g *ops.Node) *ops.Node {
	z := b.z
	rule := z.groups[z.of[i]].Rule
	p := wide(z.params[i])
	s := &Slot{P: p, G: g, Rate: b.rate(z.of[i], p), o: z, step: b, param: i, group: z.of[i], prefix: rule.Name() + "."}
	return rule.Step(s)
}

// rate is that of a group in this step.
func (b *building) rate(group int, like *ops.Node) *ops.Node {
	r := ops.ScalarLike(like, b.z.groups[group].Rule.Rate())
	if b.factor != nil {
		r = ops.Mul(r, ops.Cast(b.factor, like.DType()))
	}
	return r
}

// accumulate adds the gradients to those of earlier micro-batches, and makes the rest of the step happen in the last of them only.
func (b *building) accumulate(grads []*ops.Node) []*ops.Node {
	z := b.z
	k := z.o.Accumulate
	if k <= 1 {
		return grads
	}
	seen := ops.Add(z.micro, ops.ScalarLike(z.micro, 1))
	last := ops.Equal(seen, ops.ScalarLike(seen, float64(k)))
	b.keep(z.micro, ops.Where(last, ops.ScalarLike(seen, 0), seen))
	for i, g := range grads {
		v := z.accumulated(i, g)
		sum := ops.Add(v, ops.Mul(g, ops.ScalarLike(g, 1/float64(k))))
		b.keep(v, ops.Where(last, ops.ScalarLike(sum, 0), sum))
		grads[i] = sum
	}
	b.when = last
	return grads
}

// accumulated is the variable that adds up gradients of parameter i.
func (z *Optimizer) accumulated(i int, g *ops.Node) *ops.Node {
	key := stateKey{i, "optim.sum"}
	v, ok := z.state[key]
	if !ok {
		v = z.variable("optim.sum."+z.params[i].Name(), g.DType(), 0, z.params[i].Shape()...)
		z.state[key] = v
	}
	return v
}

package nn

import (
	"errors"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Cache has the keys and values that an attention has seen in earlier steps of decoding, in variables of a fixed length, so that every
// step is the same graph. The keys and values that a pass adds are among its [Pass.Updates].
type Cache struct {
	// Position is how many positions were seen before, an integer scalar: an input, or a variable.
	Position     *ops.Node
	Keys, Values *ops.Node // variables, [N, heads, length, features]
}

// NewCache makes a cache for n sequences of at most length positions, of which position says how many were seen: a step of
// decoding runs the attention with it, and position grows by the number of positions that are fed. With position 0 a cache begins anew,
// whatever is in it. A position beyond length is lost.
func (l *MultiheadAttention) NewCache(p *Pass, name string, n, length int, position *ops.Node) *Cache {
	c := &Cache{Position: position}
	g, dt := p.model.graph, p.model.o.Params
	if p.model.o.Compute != 0 {
		dt = p.model.o.Compute
	}
	make := func(what string) *ops.Node {
		t, err := tensor.New(dt, n, l.keyHeads(), length, l.head())
		if err != nil {
			return g.Fail("attention", err)
		}
		return g.Variable(name+"."+what, t)
	}
	if l.Heads < 1 {
		c.Keys = p.fail("attention", errNotBuilt)
		c.Values = c.Keys
		return c
	}
	c.Keys, c.Values = make("keys"), make("values")
	return c
}

// extend enters keys and values, [N, heads, L, features], behind those that were seen. It returns all, and which each of the L
// queries sees: [L, length].
func (c *Cache) extend(p *Pass, k, v *ops.Node, window int) (keys, values, seen *ops.Node) {
	g := p.model.graph
	if c.Position == nil || c.Position.Rank() != 0 || !c.Position.DType().IsInt() {
		bad := p.fail("attention", errors.New("the position of a cache is no integer scalar"), c.Position)
		return bad, bad, bad
	}
	at := ops.Cast(c.Position, tensor.Int32)
	now := ops.Add(g.Iota(tensor.Int32, 0, k.Dim(2)), at) // positions of the L
	enter := func(v, x *ops.Node) *ops.Node {
		all := ops.IndexCopy(p.Read(v), 2, now, castFloat(x, v.DType()))
		p.Write(v, all)
		return all
	}
	keys, values = enter(c.Keys, k), enter(c.Values, v)
	away := ops.Sub(ops.Reshape(g.Iota(tensor.Int32, 0, keys.Dim(2)), 1, keys.Dim(2)), ops.Reshape(now, k.Dim(2), 1))
	seen = ops.LessEqual(away, ops.ScalarLike(away, 0))
	if window > 0 {
		seen = ops.And(seen, ops.Greater(away, ops.ScalarLike(away, float64(-window))))
	}
	return keys, values, seen
}

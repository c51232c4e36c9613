package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// scan runs a layer of any activations, with peepholes and clipping, a step at a time.
func (l *layer) scan(c *call) (y, h, cell *ops.Node) {
	g, n := c.b.g, l.x.Dim(1)
	dt := l.x.DType()
	zeros := func(s *ops.Node) *ops.Node {
		if s == nil {
			return g.Zeros(dt, n, l.hidden)
		}
		return s
	}
	in := ops.MatMul(l.x, ops.Transpose(l.w))
	if l.wb != nil {
		in = ops.Add(in, l.wb)
	}
	last, ys := ops.Scan([]*ops.Node{zeros(l.h), zeros(l.c)}, []*ops.Node{in}, func(t *ops.Node, s, x []*ops.Node) (next, rows []*ops.Node) {
		nh, nc := l.step(c, s[0], s[1], x[0])
		row := nh
		if l.lengths != nil {
			there := ops.Unsqueeze(ops.Less(t, ops.Cast(l.lengths, tensor.Int64)), -1)
			row = ops.Where(there, nh, ops.ZerosLike(nh))
			nh, nc = ops.Where(there, nh, s[0]), ops.Where(there, nc, s[1])
		}
		return []*ops.Node{nh, nc}, []*ops.Node{row}
	}, nil)
	return ys[0], last[0], last[1]
}

// step computes the next state from the state and in, the contribution of the input.
func (l *layer) step(c *call, h, cell, in *ops.Node) (nh, nc *ops.Node) {
	rt := ops.Transpose(l.r)
	hid := l.hidden
	part := func(x *ops.Node, i int) *ops.Node { return ops.Narrow(x, -1, i*hid, hid) }
	if l.op == "GRU" {
		zr := ops.Add(ops.Narrow(in, -1, 0, 2*hid), ops.MatMul(h, ops.Narrow(rt, 1, 0, 2*hid)))
		if l.rb != nil {
			zr = ops.Add(zr, ops.Narrow(l.rb, 0, 0, 2*hid))
		}
		z, r := l.act(c, 0, part(zr, 0)), l.act(c, 0, part(zr, 1))
		rh := ops.Narrow(rt, 1, 2*hid, hid)
		var new *ops.Node
		if l.resetFirst {
			new = ops.MatMul(ops.Mul(r, h), rh)
			if l.rb != nil {
				new = ops.Add(new, part(l.rb, 2))
			}
		} else {
			new = ops.MatMul(h, rh)
			if l.rb != nil {
				new = ops.Add(new, part(l.rb, 2))
			}
			new = ops.Mul(r, new)
		}
		new = l.act(c, 1, ops.Add(part(in, 2), new))
		return ops.Add(ops.Mul(ops.Sub(1, z), new), ops.Mul(z, h)), cell
	}
	all := ops.Add(in, ops.MatMul(h, rt))
	if l.rb != nil {
		all = ops.Add(all, l.rb)
	}
	if l.op == "RNN" {
		return l.act(c, 0, all), cell
	}
	peep := func(x *ops.Node, i int, of *ops.Node) *ops.Node {
		if l.peep == nil {
			return x
		}
		return ops.Add(x, ops.Mul(part(l.peep, i), of))
	}
	i, f := l.act(c, 0, peep(part(all, 0), 0, cell)), l.act(c, 0, peep(part(all, 2), 2, cell))
	if l.input {
		f = ops.Sub(1, i)
	}
	nc = ops.Add(ops.Mul(f, cell), ops.Mul(i, l.act(c, 1, part(all, 3))))
	o := l.act(c, 0, peep(part(all, 1), 1, nc))
	return ops.Mul(o, l.act(c, 2, nc)), nc
}

// act is activation k of x, which is clipped before.
func (l *layer) act(c *call, k int, x *ops.Node) *ops.Node {
	if l.clip > 0 && !(l.op == "LSTM" && k == 2) {
		x = ops.Clip(x, -l.clip, l.clip)
	}
	return l.acts[k].of(x)
}

package nbody

import "github.com/anycl/anycl/ops"

// Groups are sums in parts by the kernel for GPUs, whatever the device.
func Groups(x, s, w *ops.Node, law Law, vectors bool, parts int) *ops.Node {
	op, _ := ops.OpNamed("nbody.pairs")
	s = ops.Transpose(s)
	c := &ops.Call{Op: op, In: []*ops.Node{x, s, w}, Attr: pairsAttr{law.Power, law.Softening, vectors, parts}}
	shape, dt, err := op.Result(c)
	if err != nil {
		panic(err)
	}
	k := op.Kernel(c)
	k.CPU, k.Host = nil, nil
	k.Results = []ops.Result{{DType: dt, Shape: shape}}
	return ops.Sum(ops.Kernel(x.Graph(), k, x, s, w)[0], 0)
}

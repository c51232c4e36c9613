package bench

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Product describes a program that is one matrix product of two leaves, each
// maybe transposed, for libraries that have that and nothing else.
type Product struct {
	A, B    int // the positions of the factors among the leaves
	M, K, N int
	TA, TB  bool // stored the other way round
	Batch   int  // 0: no axis for it
	DType   tensor.DType
}

// Product reports whether p is one.
func (p *Program) Product() (Product, bool) {
	if len(p.Outputs) != 1 || len(p.Wrt) > 0 || p.Train || p.Nodes[p.Outputs[0]].Op != "matmul" {
		return Product{}, false
	}
	in := p.Nodes[p.Outputs[0]].In
	a, ok := p.factor(in[0])
	b, ok2 := p.factor(in[1])
	return Product{
		A: a.leaf, B: b.leaf, M: a.rows, K: a.cols, N: b.cols, TA: a.turned, TB: b.turned, Batch: a.batch, DType: a.dtype,
	}, ok && ok2 && a.batch == b.batch
}

// factor is one side of a product.
type factor struct {
	leaf, batch, rows, cols int
	turned                  bool
	dtype                   tensor.DType
}

func (p *Program) factor(r Ref) (f factor, ok bool) {
	n := &p.Nodes[r]
	if n.Op == "transpose" {
		f.turned = true
		r = n.In[0]
		n = &p.Nodes[r]
	}
	if n.Op != "leaf" || len(n.Dims) < 2 || len(n.Dims) > 3 || (f.turned && len(n.Dims) > 2) {
		return f, false
	}
	f.leaf, f.dtype = slices.Index(p.Leaves(), r), n.DType
	dims := n.Dims
	if len(dims) == 3 {
		f.batch, dims = dims[0], dims[1:]
	}
	f.rows, f.cols = dims[0], dims[1]
	if f.turned {
		f.rows, f.cols = f.cols, f.rows
	}
	return f, true
}

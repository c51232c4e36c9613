package nn

import (
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
)

// Embedding has a vector for each of Num ids:
//
//	y[..., j] = weight[ids[...], j]
//
// ids is an integer of any shape; those outside [0, Num) give zeros. Parameter: weight [Num, Dim], drawn from the standard normal
// distribution, as in PyTorch.
type Embedding struct {
	Num, Dim int
	// Padding is an id whose vector begins as zeros and is not trained, where Pads says so.
	Padding    int
	Pads       bool
	WeightInit Init // nil: the standard normal distribution

	Weight *ops.Node // made by New
}

// Build declares the weight.
func (l *Embedding) Build(s *Scope) {
	l.Weight = s.Param("weight", padded(orInit(l.WeightInit, Normal(0, 1)), l.Padding, l.Pads), l.Num, l.Dim)
}

// padded is init with a row of zeros.
func padded(init Init, row int, pads bool) Init {
	if !pads {
		return init
	}
	return func(r *rand.Rand, w []float64, shape []int) {
		init(r, w, shape)
		if d := shape[1]; row >= 0 && row < shape[0] {
			clear(w[row*d : (row+1)*d])
		}
	}
}

// Apply is the vectors of ids.
func (l *Embedding) Apply(p *Pass, ids *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("embedding", errNotBuilt, ids)
	}
	y := ops.Embedding(l.Weight, ids)
	if l.Pads && ids != nil && ids.DType().IsInt() {
		y = ops.Where(ops.ExpandDims(ops.Equal(ids, ops.ScalarLike(ids, float64(l.Padding))), -1), ops.StopGradient(y), y)
	}
	return p.did(l, p.Compute(y))
}

// EmbeddingBag has a vector for each of Num ids, and gives the mean, the sum or the maximum of those of a bag. Parameter: weight [Num,
// Dim], drawn from the standard normal distribution. See [ops.EmbeddingBag].
type EmbeddingBag struct {
	Num, Dim   int
	Mode       ops.BagMode // empty: mean
	Padding    int         // an id that does not count, where Pads says so
	Pads       bool
	WeightInit Init // nil: the standard normal distribution

	Weight *ops.Node // made by New
}

// Build declares the weight.
func (l *EmbeddingBag) Build(s *Scope) {
	l.Weight = s.Param("weight", padded(orInit(l.WeightInit, Normal(0, 1)), l.Padding, l.Pads), l.Num, l.Dim)
}

// Apply is one vector for each row of ids, [B, L].
func (l *EmbeddingBag) Apply(p *Pass, ids *ops.Node) *ops.Node { return l.Run(p, ids, nil, nil) }

// Run is one vector for each bag of ids. offsets says where each bag begins in ids, [L], or is nil: bags are the rows of ids. weights
// multiply vectors, in the shape of ids, and may be nil.
func (l *EmbeddingBag) Run(p *Pass, ids, offsets, weights *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("embedding_bag", errNotBuilt, ids)
	}
	y := ops.EmbeddingBag(l.Weight, ids, &ops.EmbeddingBagOptions{Mode: l.Mode, Offsets: offsets, Weights: p.Full(weights),
		Padding: l.Padding, Pads: l.Pads})
	return p.did(l, p.Compute(y))
}

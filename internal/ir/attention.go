package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// AttentionAttr holds the fixed parameters of a call of attention. Operands are q, k, v, then for
// the gradients dO, Top, Share and D as engine.AttentionTask has them, then the mask.
type AttentionAttr struct {
	Scale  float64              `default:"0" doc:"of the scores; 0: one over the square root of the features"`
	Causal bool                 `default:"false" doc:"a query sees no later key; the last query is aligned with the last key"`
	Window int                  `default:"0" doc:"a query sees only keys less than this away; 0: all"`
	Pass   engine.AttentionPass `attr:"-"`
}

// Operands is how many there are without the mask.
func (a AttentionAttr) Operands() int {
	if a.Pass == engine.AttentionForward {
		return 3
	}
	return 7
}

// ScaleOf is the scale of the scores of d features.
func (a AttentionAttr) ScaleOf(d int) float64 {
	if a.Scale == 0 {
		return 1 / math.Sqrt(float64(d))
	}
	return a.Scale
}

// Band is which of n keys a query i of m sees: i + low <= j <= i + high, no further than
// makes a difference.
func (a AttentionAttr) Band(m, n int) (low, high int) {
	low, high = -m, n
	if a.Window > 0 {
		reach := min(a.Window, m+n) - 1
		low, high = max(low, n-m-reach), min(high, n-m+reach)
	}
	if a.Causal {
		high = n - m
	}
	return low, high
}

// AttentionShape is how the operands of an attention fit together.
type AttentionShape struct {
	Batch []int // of the result: the axes before M and E
	Own   []int // of k and v together
	Group int   // heads of q that share one of k and v; 1 if the axis does not say so
	// M queries and N keys of D features, and values of E.
	M, N, D, E int
}

// Result is the shape of the result.
func (s AttentionShape) Result() []int { return append(slices.Clone(s.Batch), s.M, s.E) }

// NewAttentionShape fits q [..., M, D], k [..., N, D] and v [..., N, E] together. Errors: shapes that do not fit.
func NewAttentionShape(q, k, v []int) (s AttentionShape, err error) {
	if min(len(q), len(k), len(v)) < 2 {
		return s, fmt.Errorf("q %v, k %v and v %v need two axes at least: positions and features", q, k, v)
	}
	nq, nk, nv := len(q)-2, len(k)-2, len(v)-2
	s.M, s.D, s.N, s.E, s.Group = q[nq], q[nq+1], k[nk], v[nv+1], 1
	switch {
	case k[nk+1] != s.D:
		return s, fmt.Errorf("q %v and k %v have other features: %d and %d", q, k, s.D, k[nk+1])
	case v[nv] != s.N:
		return s, fmt.Errorf("k %v and v %v have other positions: %d and %d", k, v, s.N, v[nv])
	case s.D == 0:
		return s, fmt.Errorf("q %v and k %v have no features", q, k)
	}
	if s.Own, err = tensor.Broadcast(k[:nk], v[:nv]); err != nil {
		return s, fmt.Errorf("k %v and v %v do not broadcast", k, v)
	}
	if h, o := nq-1, len(s.Own)-1; h >= 0 && o >= 0 && s.Own[o] > 1 && q[h] > s.Own[o] && q[h]%s.Own[o] == 0 {
		s.Group = q[h] / s.Own[o]
	}
	stretched := slices.Clone(s.Own)
	if s.Group > 1 {
		stretched[len(stretched)-1] *= s.Group
	}
	if s.Batch, err = tensor.Broadcast(q[:nq], stretched); err != nil {
		return s, fmt.Errorf("q %v does not broadcast with k %v and v %v, nor has it a multiple of their heads", q, k, v)
	}
	s.Batch = slices.Clone(s.Batch)
	s.Own = slices.Concat(slices.Repeat([]int{1}, len(s.Batch)-len(s.Own)), s.Own)
	return s, nil
}

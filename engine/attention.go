package engine

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// AttentionPass says which outputs a task of kind [Attention] computes.
type AttentionPass uint8

// The passes. The gradients compute the weights anew from Q, K and the
// largest scores and the sums that the forward pass left: no matrix of queries by keys is ever
// in memory.
const (
	AttentionForward AttentionPass = iota // O, and where there are three outputs Top and Share
	AttentionGradQ                        // dQ
	AttentionGradKV                       // dK and dV, summed over the queries of all groups
)

// AttentionTask describes the computation of a task of kind [Attention]. Query i of group g sees
// key j where i + Low <= j <= i + High and the mask lets it:
//
//	S[b,g,i,j]   = log₂(e) · (Scale · Σ_d Q[b,g,i,d]·K[b,j,d] + Mask[b,g,i,j]),  -∞ where unseen
//	Top[b,g,i]   = max_j S[b,g,i,j],  +∞ where no key is seen
//	Share[b,g,i] = 1 / Σ_j 2^(S[b,g,i,j] - Top[b,g,i]),  0 where no key is seen
//	P[b,g,i,j]   = Share[b,g,i] · 2^(S[b,g,i,j] - Top[b,g,i])
//	O[b,g,i,e]   = Σ_j P[b,g,i,j]·V[b,j,e]
//
// and for the gradients, with D[b,g,i] = Σ_e DO[b,g,i,e]·O[b,g,i,e]
//
//	T[b,g,i,j]  = P[b,g,i,j] · (Σ_e DO[b,g,i,e]·V[b,j,e] - D[b,g,i])
//	dQ[b,g,i,d] = Scale · Σ_j T[b,g,i,j]·K[b,j,d]
//	dK[b,j,d]   = Scale · Σ_{g,i} T[b,g,i,j]·Q[b,g,i,d]
//	dV[b,j,e]   = Σ_{g,i} P[b,g,i,j]·DO[b,g,i,e]
//
// A row that sees no key, or whose scores are all -∞, gives zeros.
//
// Top and Share are two numbers, and not the logarithm of the sum: in one number, a sum is lost beside a large score.
// Where scores are so large that their rounding is some powers of two, Top is less by what a sum of products in another
// order may be, see [RoundedDown], and no power in P is above 1: else the largest score, computed anew, would have no weight.
type AttentionTask struct {
	Pass    AttentionPass
	Q, K, V *Expr
	// Mask may be nil; a bool says whether a key is seen, a float is added.
	Mask              *Expr
	DO, Top, Share, D *Expr // of the gradients
	Scale             float64
	Low, High         int64
}

// RoundedDown is the largest score top of a row as the forward pass leaves it for sums of dtype acc: less by 2⁻²⁰ of it
// (float64: 2⁻⁴⁹) beyond 32.
func RoundedDown(acc tensor.DType, top float64) float64 {
	rounding := 0x1p-20
	if acc == tensor.Float64 {
		rounding = 0x1p-49
	}
	if rough := math.Abs(top)*rounding - 32; rough > 0 && !math.IsInf(rough, 1) {
		return top - rough
	}
	return top
}

// eachExpr calls f with the place of every expression of a that is set.
func (a *AttentionTask) eachExpr(f func(e **Expr)) {
	for _, e := range []**Expr{&a.Q, &a.K, &a.V, &a.Mask, &a.DO, &a.Top, &a.Share, &a.D} {
		if *e != nil {
			f(e)
		}
	}
}

// The groups of axes of an attention task.
const (
	AttentionBatch   = iota // where K and V differ
	AttentionGroup          // more queries for the same K and V
	AttentionQueries        // i
	AttentionKeys           // j
	AttentionHead           // d
	AttentionValue          // e
)

// attentionOuts are the groups of axes of each output.
func (t *Task) attentionOuts() [][]int {
	rows := []int{AttentionBatch, AttentionGroup, AttentionQueries}
	switch t.Attention.Pass {
	case AttentionGradQ:
		return [][]int{append(rows, AttentionHead)}
	case AttentionGradKV:
		return [][]int{{AttentionBatch, AttentionKeys, AttentionHead}, {AttentionBatch, AttentionKeys, AttentionValue}}
	default:
		return [][]int{append(rows[:3:3], AttentionValue), rows, rows}
	}
}

// attentionFlops counts the products: two in the forward pass, three for dQ,
// four for dK and dV; and an exponential each time. Keys that no query sees
// are not counted.
func (t *Task) attentionFlops() float64 {
	a := t.Attention
	m, n := t.Size(AttentionQueries), t.Size(AttentionKeys)
	seen := 0.0
	for i := range m {
		seen += float64(max(0, min(n-1, i+a.High)-max(0, i+a.Low)+1))
	}
	pairs := seen * float64(t.Size(AttentionBatch)*t.Size(AttentionGroup))
	d, e := float64(t.Size(AttentionHead)), float64(t.Size(AttentionValue))
	each := map[AttentionPass]float64{AttentionForward: 2*d + 2*e, AttentionGradQ: 4*d + 2*e, AttentionGradKV: 4*d + 4*e}
	return pairs * (each[a.Pass] + 20)
}

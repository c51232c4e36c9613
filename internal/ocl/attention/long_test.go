package attention_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Attention to many equal positions is their mean, and SHARE one over the sum of their weights. The first key
// has the largest weight: else all were 1, of which a float holds the sum. With DO = 1,
// TOP and delta 0, SHARE 1 and scores of 0, the gradients are sums of equal terms over the other side.
func TestAttentionToVeryManyPositionsKeepsItsDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	const long = 1 << 16
	f := tensor.Float32
	for force, bound := range map[string]float64{"lane": 1e-6, "tile": 4e-6, "block": 4e-6} { // blocks of 64 and of 128
		for pass := range engine.AttentionGradKV + 1 {
			t.Run(fmt.Sprintf("%s pass %d", force, pass), func(t *testing.T) {
				c := sample.Attention{DType: f, B: 1, G: 1, M: 1, N: long, D: 1, E: 2, Pass: pass, WithTops: true}
				if force == "block" {
					c.M, c.D, c.E = 16, 16, 16
				}
				if pass == engine.AttentionGradKV {
					c.M, c.N = long, c.M
				}
				task := c.Task()
				for i := range task.Ins { // one position stands for all
					if i != 1 || pass != engine.AttentionForward {
						task.Ins[i].Len = min(task.Ins[i].Len, 2)
					}
				}
				a := task.Attention
				zero, value, one := 0.0, 0.7, 1.0
				at := func(x *engine.Expr, by int) { x.Addr = engine.AxisIndex(by).Mul(0).Add(engine.ConstIndex(0)) }
				at(a.Q, 0)
				at(a.V, 0)
				fill := []float64{zero, value, value, one, zero, one, zero}
				if pass == engine.AttentionForward {
					fill[0], fill[1] = one, zero
				} else {
					at(a.K, 0)
				}
				if pass == engine.AttentionGradKV {
					fill[0], fill[1] = value, zero // dK sums the queries
				}
				if pass != engine.AttentionForward {
					at(a.DO, 0)
					at(a.Top, 0)
					at(a.Share, 0)
					at(a.D, 0)
				}
				ins := make([][]byte, len(task.Ins))
				for i, in := range task.Ins {
					ins[i] = ocltest.Filled(f, in.Len, fill[i])
				}
				const first = 5.0
				if pass == engine.AttentionForward {
					copy(ins[1], ocltest.Filled(f, 1, first))
				}
				outs, _ := ocltest.Execute(t, device(t, "attention="+force, nil), task, ins, 3)
				v := float64(float32(value))
				terms := float64(c.E)
				switch pass {
				case engine.AttentionForward:
					require.InEpsilon(t, v, ocltest.NumberAt(f, outs[0], 1), bound)
					require.InEpsilon(t, a.Scale*first*math.Log2E, ocltest.NumberAt(f, outs[1], 0), bound)
					require.InEpsilon(t, 1/(1+(long-1)*math.Exp(-a.Scale*first)), ocltest.NumberAt(f, outs[2], 0), bound)
				case engine.AttentionGradQ: // P = 1, T = V·1 - 0, E times
					require.InEpsilon(t, a.Scale*long*terms*v*v, ocltest.NumberAt(f, outs[0], 0), 2e-6)
				case engine.AttentionGradKV:
					require.InEpsilon(t, a.Scale*long*terms*v*v, ocltest.NumberAt(f, outs[0], 0), 2e-6)
					require.InEpsilon(t, float64(long), ocltest.NumberAt(f, outs[1], 1), 2e-6)
				}
			})
		}
	}
}

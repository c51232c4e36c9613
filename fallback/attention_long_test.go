package fallback

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// longAttention is attention of m queries to n keys, of one feature and two values. One position stands for
// all, but for the keys of the forward pass.
func longAttention(pass engine.AttentionPass, m, n int) *engine.Task {
	f := tensor.Float32
	t := &engine.Task{
		Kind: engine.Attention, Name: "attention", Axes: engine.Domain{1, 1, m, n, 1, 2}, Groups: []int{1, 1, 1, 1, 1, 1}, Acc: f,
	}
	load := func() *engine.Expr {
		t.Ins = append(t.Ins, engine.Operand{DType: f, Len: 1})
		return engine.Load(len(t.Ins)-1, f, engine.ConstIndex(0), nil)
	}
	a := &engine.AttentionTask{Pass: pass, Q: load(), K: load(), V: load(), Scale: 0.5, Low: -int64(m), High: int64(n)}
	t.Attention = a
	outs := 2
	switch pass {
	case engine.AttentionForward:
		outs = 3
		t.Ins[1].Len = int64(n)
		a.K.Addr = engine.AxisIndex(engine.AttentionKeys)
	case engine.AttentionGradQ:
		outs = 1
	}
	if pass != engine.AttentionForward {
		a.DO, a.Top, a.Share, a.D = load(), load(), load(), load()
	}
	for i := range outs {
		t.Outs = append(t.Outs, engine.Operand{DType: f, Len: t.OutSize(i)})
	}
	return t
}

// Weights are equal, but for the first key, whose weight is the largest: else all were 1, of which
// a float holds the sum. Gradients are sums of equal terms.
func TestAttentionToVeryManyPositionsKeepsItsDigits(t *testing.T) {
	t.Parallel()
	const long = 1 << 20
	f := tensor.Float32
	e := New(nil)
	defer e.Close()
	v := float64(float32(0.7))
	for pass := range engine.AttentionGradKV + 1 {
		t.Run(fmt.Sprint("pass ", pass), func(t *testing.T) {
			m, n := 2, long
			if pass == engine.AttentionGradKV {
				m, n = long, 2
			}
			task := longAttention(pass, m, n)
			fill := map[engine.AttentionPass][]float64{ // Q K V DO Top Share D
				engine.AttentionForward: {1, 0, v},
				engine.AttentionGradQ:   {0, v, v, 1, 0, 1, 0},
				engine.AttentionGradKV:  {v, 0, v, 1, 0, 1, 0},
			}[pass]
			const first = 4.0
			var ins [][]byte
			for i, in := range task.Ins {
				ins = append(ins, bytesOf(f, in.Len, func(at int64) float64 {
					if i == 1 && at == 0 && pass == engine.AttentionForward {
						return first
					}
					return fill[i]
				}))
			}
			outs, err := tryTask(t, e, task, 0, ins...)
			require.NoError(t, err)
			got := work.Typed[float32](outs[0])[0]
			switch pass {
			case engine.AttentionForward:
				require.InEpsilon(t, v, got, 1e-6)
				require.InEpsilon(t, first/2*math.Log2E, work.Typed[float32](outs[1])[0], 1e-6)
				require.InEpsilon(t, 1/(1+(long-1)*math.Exp(-first/2)), work.Typed[float32](outs[2])[0], 1e-6)
			case engine.AttentionGradQ: // P = 1, T = 2·V
				require.InEpsilon(t, 0.5*long*2*v*v, got, 1e-6)
			case engine.AttentionGradKV:
				require.InEpsilon(t, 0.5*long*2*v*v, got, 1e-6)
				require.InEpsilon(t, float64(long), work.Typed[float32](outs[1])[0], 1e-6)
			}
		})
	}
}

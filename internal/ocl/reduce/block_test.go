package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// Values that are computed go through an array: rows shorter than it, as long,
// a little longer, and of many; runs that end within it.
func TestComputedValuesFoldThroughAnArray(t *testing.T) {
	ocltest.NumbersOnly(t)
	for i, f := range []engine.Monoid{engine.Sum, engine.Min, engine.ArgMax} {
		for name, step := range map[string]int64{"neighbours": 1, "strided": 3} {
			if !ocltest.OneIn(i+int(step)/2, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%v/%s", f, name), func(t *testing.T) {
				t.Parallel()
				e := device(t, "reduce=block", nil)
				r := rand.New(rand.NewPCG(3, uint64(f)))
				for _, dom := range []engine.Domain{{3, 1, 7}, {3, 1, 256}, {2, 1, 257}, {2, 1, 20011}, {2, 5, 300}, {1, 1, 0}} {
					in := engine.Operand{DType: tensor.Float32, Len: max(dom.Size()*step, 1)}
					x := engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1, 2).Mul(step), nil)
					task := sample.Reduce(dom, 1, f, engine.Apply(sample.Exp, in.DType, x), in)
					p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(r, in.DType, in.Len)}, 1e-5, math.Sqrt(float64(dom[1]*dom[2])))
					require.Contains(t, p.Variant, "block")
				}
			})
		}
	}
}

// Loops over values ask for vectors that fill a register where columns read
// neighbours, and leave it to the compiler where they do not.
func TestFoldsOfComputedValuesAskForWideVectors(t *testing.T) {
	dom := engine.Domain{4, 4096}
	for _, c := range []struct {
		dt    tensor.DType
		step  int64
		lanes string
	}{{tensor.Float32, 1, "16"}, {tensor.Float64, 1, "8"}, {tensor.Float32, 3, "0"}} {
		in := engine.Operand{DType: c.dt, Len: dom.Size() * c.step}
		task := sample.Reduce(dom, 1, engine.Sum, engine.Apply(sample.Exp, c.dt,
			engine.Load(0, c.dt, sample.DenseAt(dom, 0, 1).Mul(c.step), nil)), in)
		p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "reduce=block")
		require.NoError(t, err)
		require.Contains(t, p.Launches[0].Program.Text(), "#define LANES "+c.lanes+"\n")
	}
}

package scatter_test

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

func TestScatterAddsRepeatedKeysAndSkipsOthers(t *testing.T) {
	ocltest.NumbersOnly(t)
	shapes := [][3]int{{5, 40, 3}, {300, 17, 65}, {1, 9, 1}, {7, 0, 4}, {4, 3, 0}, {0, 3, 4}, {2, 33, 300}, {3, 700, 2}}
	for j, name := range []string{"rows", "parts", "item"} {
		for i, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int8, tensor.Int64} {
			if !ocltest.OneIn(i+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, dt), func(t *testing.T) {
				t.Parallel()
				e := device(t, "scatter="+name, nil)
				keys := []tensor.DType{tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint64}[i]
				r := rand.New(rand.NewPCG(2, uint64(i)))
				for _, s := range shapes {
					task := sample.Scatter(s[0], s[1], s[2], dt, keys)
					at := make([]byte, task.Ins[1].Bytes())
					for n := range s[1] {
						ocltest.PutAt(keys, at, int64(n), 0, uint64(int64(r.IntN(s[0]+3)-1))) // some outside, also below 0
					}
					ins := [][]byte{ocltest.RandomBytes(r, dt, task.Ins[0].Len), at, ocltest.RandomBytes(r, dt, task.Ins[2].Len)}
					p := ocltest.Verify(t, e, task, ins, 1e-5, 5)
					if task.Outs[0].Len > 0 {
						require.Contains(t, p.Variant, name)
					}
				}
			})
		}
	}
}

func TestScatterInPlaceReadsBeforeItWrites(t *testing.T) {
	for _, name := range []string{"rows", "parts", "item"} {
		task := sample.Scatter(50, 90, 20, tensor.Float32, tensor.Int32)
		task.Alias = []int{0}
		r := rand.New(rand.NewPCG(4, 4))
		at := make([]byte, task.Ins[1].Bytes())
		for n := range int64(90) {
			ocltest.PutAt(tensor.Int32, at, n, 0, uint64(r.IntN(50)))
		}
		ins := [][]byte{ocltest.RandomBytes(r, tensor.Float32, task.Ins[0].Len), at, ocltest.RandomBytes(r, tensor.Float32, task.Ins[2].Len)}
		p := ocltest.Verify(t, device(t, "scatter="+name, nil), task, ins, 1e-5, 5)
		require.Contains(t, p.Variant, name)
	}
}

func TestSmallOutputsOfManyUpdatesAreAddedUpInParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v, n, d int
		want    string
	}{{64, 4096, 16, "parts"}, {64, 100, 16, "rows"}, {1 << 16, 1 << 21, 1, "rows"}} {
		_, variants, err := variant.Of(ocltest.CPU(16), sample.Scatter(c.v, c.n, c.d, tensor.Float32, tensor.Int32))
		require.NoError(t, err)
		require.Equal(t, c.want, variants[0].Name, "%+v", c)
	}
}

func TestScattersOfEveryKindPutUpdatesInTheirOrder(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, name := range []string{"rows", "item", "parts"} {
		for put := range engine.PutSet + 1 {
			t.Run(name+"/"+put.String(), func(t *testing.T) {
				t.Parallel()
				e := device(t, "scatter="+name, nil)
				for i, s := range [][3]int{{5, 140, 3}, {9, 300, 1}, {4, 3, 0}} {
					for _, each := range []bool{false, true} {
						dt := []tensor.DType{tensor.Float32, tensor.Int16, tensor.Float16}[(i+int(put))%3]
						task := sample.Scatter(s[0], s[1], s[2], dt, tensor.Int32)
						if task.Put, task.Each = put, each; each {
							task.Ins[1].Len = int64(s[1] * s[2])
							task.At = engine.Load(1, tensor.Int32, sample.DenseAt(task.Axes, 1, 2), nil)
						}
						r := rand.New(rand.NewPCG(3, uint64(i)))
						at := make([]byte, task.Ins[1].Bytes())
						for n := range task.Ins[1].Len {
							ocltest.PutAt(tensor.Int32, at, n, 0, uint64(int64(r.IntN(s[0]+3)-1)))
						}
						ins := [][]byte{ocltest.RandomBytes(r, dt, task.Ins[0].Len), at, ocltest.RandomBytes(r, dt, task.Ins[2].Len)}
						if (put == engine.PutMin || put == engine.PutMax) && dt == tensor.Float32 && s[1] > 0 {
							for at, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0} {
								ocltest.PutAt(dt, ins[2], int64(17*at), v, 0)
							}
						}
						p := ocltest.Verify(t, e, task, ins, 1e-5, 5)
						if whole := put == engine.PutAdd || put == engine.PutMin || put == engine.PutMax || put == engine.PutMul &&
							dt.IsInt(); name == "parts" && whole && !each && s[2] > 0 {
							require.Contains(t, p.Variant, "parts")
						}
					}
				}
			})
		}
	}
}

package maps_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Rows narrower than a vector and wider, more and fewer than are fetched ahead,
// with indices outside the table, also far outside.
func TestRowsThatIndicesNameAreGathered(t *testing.T) {
	ocltest.NumbersOnly(t)
	for i, s := range [][2]int{{300, 4}, {77, 3}, {65, 16}, {1000, 17}, {64, 300}, {40, 2000}} {
		for j, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Bool} {
			if !ocltest.OneIn(i+j, 2) {
				continue
			}
			ids := []tensor.DType{tensor.Int32, tensor.Int64}[i%2]
			t.Run(fmt.Sprint(s, dt, ids), func(t *testing.T) {
				t.Parallel()
				const table = 50
				task := sample.Pick(dt, ids, table, s[0], s[1])
				r := rand.New(rand.NewPCG(2, uint64(i)))
				at := make([]byte, s[0]*ids.Size())
				for k := range int64(s[0]) {
					ocltest.PutAt(ids, at, k, 0, uint64(r.IntN(table+10)-5))
				}
				ocltest.PutAt(ids, at, 7, 0, 1<<62+3)
				e := device(t, "", nil)
				if !e.Facts().CPU || s[0] < 8*e.Facts().Units { // where it is not the rule
					e = device(t, "map=gather", nil)
				}
				p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(r, dt, task.Ins[0].Len), at}, 0, 0)
				require.Contains(t, p.Variant, "gather")
			})
		}
	}
}

// An index for every element, and one that is read only where a condition holds,
// are none of a row.
func TestOtherLookupsAreNoGatheredRows(t *testing.T) {
	dom := engine.Domain{100, 30}
	f32, i32 := tensor.Float32, tensor.Int32
	table := engine.Operand{DType: f32, Len: 30 * 30}
	each := engine.DataIndex(engine.Load(1, i32, sample.DenseAt(dom, 0, 1), nil))
	guarded := engine.DataIndex(engine.Load(1, i32, engine.AxisIndex(0), []engine.Cond{{X: engine.AxisIndex(0), Lo: 1, Hi: 99}}))
	for name, row := range map[string]*engine.Index{"each": each, "guarded": guarded} {
		v := engine.Load(0, f32, row.Mul(30).Add(engine.AxisIndex(1)), []engine.Cond{{X: row, Lo: 0, Hi: 30}})
		task := sample.Map(dom, v, table, engine.Operand{DType: i32, Len: dom.Size()})
		r := rand.New(rand.NewPCG(4, 4))
		at := make([]byte, 4*dom.Size())
		for k := range int64(dom.Size()) {
			ocltest.PutAt(i32, at, k, 0, uint64(r.IntN(30)))
		}
		p := ocltest.Verify(t, device(t, "map=gather", nil), task, [][]byte{ocltest.RandomBytes(r, f32, table.Len), at}, 0, 0)
		require.NotContains(t, p.Variant, "gather", name)
	}
}

// Tiles of whole lines that no cache holds are stored past it, at the edges of
// the view as well.
func TestLargeTransposesAreStoredPastTheCaches(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "map=tile", func(d *facts.Device) { d.Cache = 1 })
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Int64} {
		for _, dom := range []engine.Domain{{2, 53, 48}, {2, 53, 150}, {2, 130, 147}} { // with whole lines in rows, and without
			for _, computed := range []bool{false, true} {
				v := engine.Load(0, dt, sample.DenseAt(dom, 0, 2, 1), nil)
				if computed {
					v = engine.Apply(sample.Mul, dt, v, engine.IndexValue(dt, engine.AxisIndex(1)))
				}
				in := engine.Operand{DType: dt, Len: dom.Size()}
				p := ocltest.Verify(t, e, sample.Map(dom, v, in), [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(1, 1)), dt, in.Len)}, 0, 0)
				require.Contains(t, p.Source, "#define STREAMED 1")
				require.Contains(t, p.Source, fmt.Sprintf("#define PLAIN %d", codegen.OneIf(!computed)))
			}
		}
	}
}

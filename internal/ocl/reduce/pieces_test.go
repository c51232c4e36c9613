package reduce_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Folds of tensors that are rolled, tiled, mirrored or padded load vectors that lie in one piece whole, and the others lane by lane.
func TestFoldsOfPiecesLoadVectors(t *testing.T) {
	ocltest.NumbersOnly(t)
	const rows, cols = 11, 150
	whole := engine.Domain{rows, cols}
	y, x := engine.AxisIndex(0), engine.AxisIndex(1)
	at := func(dt tensor.DType, row, col *engine.Index, conds ...engine.Cond) *engine.Expr {
		return engine.Load(0, dt, row.Mul(cols).Add(col), conds)
	}
	inside := func(x *engine.Index, n int64) engine.Cond { return engine.Cond{X: x, Lo: 0, Hi: n} }
	mirror := func(x *engine.Index, n int64) *engine.Index {
		x = x.Mod(2*n-2, whole)
		return x.Add(x.Mul(-2).AddConst(2*n-2).Min(0, whole))
	}
	views := map[string]func(dt tensor.DType) *engine.Expr{
		"rolled": func(dt tensor.DType) *engine.Expr { return at(dt, y, x.AddConst(61).Mod(cols, whole)) },
		"rolled twice": func(dt tensor.DType) *engine.Expr {
			return at(dt, y.AddConst(4).Mod(rows, whole), x.AddConst(cols-1).Mod(cols, whole))
		},
		"tiled":    func(dt tensor.DType) *engine.Expr { return at(dt, y, x.Mod(50, whole)) },
		"mirrored": func(dt tensor.DType) *engine.Expr { return at(dt, y, mirror(x.AddConst(-33), cols)) },
		"edges again": func(dt tensor.DType) *engine.Expr {
			return at(dt, y, x.AddConst(-17).Max(0, whole).Min(cols-41, whole))
		},
		"padded": func(dt tensor.DType) *engine.Expr {
			i, j := y.AddConst(-2), x.AddConst(-5)
			return at(dt, i, j, inside(i, rows-4), inside(j, cols-23))
		},
		"padded by infinities": func(dt tensor.DType) *engine.Expr {
			i, j := y.AddConst(-1), x.AddConst(-19)
			conds := []engine.Cond{inside(i, rows-1), inside(j, cols-50)}
			return engine.Apply(sample.Where, dt, engine.Valid(conds), at(dt, i, j, conds...),
				engine.Constant(dt, engine.Const{Float: math.Inf(-1)}))
		},
		"two pieces apart": func(dt tensor.DType) *engine.Expr {
			return engine.Apply(sample.Add, dt, at(dt, y, x.AddConst(61).Mod(cols, whole)), at(dt, y, x.AddConst(7).Mod(cols, whole)))
		},
	}
	for i, variant := range []string{"block", "stripe", "lanes", "column", "item"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			e := device(t, "reduce="+variant, nil)
			r := rand.New(rand.NewPCG(29, uint64(i)))
			for k, name := range slices.Sorted(maps.Keys(views)) {
				view := views[name]
				for j, f := range []engine.Monoid{engine.Sum, engine.Max, engine.ArgMax} {
					if !ocltest.OneIn(i+j+k, 3) {
						continue
					}
					dt := []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16}[r.IntN(3)]
					if dt == tensor.Float64 && !e.Facts().FP64 || strings.Contains(name, "infinities") && f == engine.Sum {
						dt = tensor.Float32
					}
					v, dom := view(dt), whole
					if variant != "block" { // columns are folded, of rows that are neighbours
						v, dom = v.Subst([]*engine.Index{engine.AxisIndex(1), engine.AxisIndex(0)}, engine.Domain{cols, rows}), engine.Domain{cols, rows}
					}
					in := engine.Operand{DType: dt, Len: rows * cols}
					p := ocltest.Verify(t, e, sample.Reduce(dom, 1, f, v, in), [][]byte{ocltest.RandomBytes(r, dt, in.Len)}, 1e-3, math.Sqrt(cols))
					if e.Facts().CPU && (variant == "block" || variant == "stripe") && p.Variant == variant && dt == tensor.Float32 {
						require.Contains(t, p.Source, "#define PLAIN 1", fmt.Sprint(name, f))
						require.Contains(t, p.Source, "lane_1_hook", fmt.Sprint(name, f))
					}
				}
			}
		})
	}
}

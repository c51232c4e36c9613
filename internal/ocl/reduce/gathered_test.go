package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Folds of elements that an index finds take neighbouring results as lanes where it is their axis that data permutes, and columns where it
// is that of a row; positions outside are 0, and cost no branch.
func TestFoldsOfGatheredElements(t *testing.T) {
	ocltest.NumbersOnly(t)
	const planes, rows, columns, table = 3, 21, 70, 50
	position := engine.Operand{DType: tensor.Int32, Len: columns}
	at := make([]byte, 0, 4*columns)
	for i := range columns {
		p := make([]byte, 4)
		ocltest.PutAt(tensor.Int32, p, 0, float64((i*17)%(table+4)-2), 0)
		at = append(at, p...)
	}
	axis := engine.AxisIndex
	for name, c := range map[string]struct {
		dom     engine.Domain
		out     int
		found   int // the axis along which data says where elements are
		order   [2]int
		variant string
	}{
		"results": {engine.Domain{planes, columns, rows}, 2, 1, [2]int{0, 2}, "lanes"},
		"rows":    {engine.Domain{planes, rows, columns}, 1, 2, [2]int{0, 1}, "block"},
		"turned":  {engine.Domain{planes, columns, rows, 2}, 3, 1, [2]int{0, 2}, "lanes"},
		"each":    {engine.Domain{planes, rows, columns}, 2, 2, [2]int{0, 1}, "block"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := device(t, "", nil)
			r := rand.New(rand.NewPCG(37, 1))
			for _, checked := range []bool{false, true} {
				for _, f := range []engine.Monoid{engine.Sum, engine.Max, engine.ArgMax} {
					in := engine.Operand{DType: tensor.Float32, Len: planes * rows * table}
					where := axis(c.order[0]).Mul(rows * table).Add(axis(c.order[1]).Mul(table))
					if len(c.dom) == 4 {
						where = where.Add(axis(3).Mul(in.Len))
						in.Len *= int64(c.dom[3])
					}
					found := engine.DataIndex(engine.Load(1, tensor.Int32, axis(c.found), nil))
					places := at
					var conds []engine.Cond
					if checked {
						conds = []engine.Cond{{X: found, Lo: 0, Hi: table}}
					} else {
						places = ocltest.Filled(tensor.Int32, columns, table-1)
					}
					v := engine.Load(0, in.DType, where.Add(found), conds)
					ins := [][]byte{ocltest.RandomBytes(r, in.DType, in.Len), places}
					p := ocltest.Verify(t, e, sample.Reduce(c.dom, c.out, f, v, in, position), ins, 1e-4, 40)
					if !e.Facts().CPU {
						continue
					}
					require.True(t, strings.HasPrefix(p.Variant, c.variant+" "), fmt.Sprint(p.Variant, f, checked))
					if name == "turned" {
						require.Contains(t, p.Source, "index_of_hook")
					}
					require.NotRegexp(t, `\? LOAD_float32`, p.Source)
				}
			}
		})
	}
}

// Elements that lie a few apart are loaded at strides that the compiler knows, but for short axes, whose extents are no reason for a
// program of their own, and for windows, which read what lies between as well.
func TestSmallStridesStandInThePrograms(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	e := device(t, "", nil)
	for _, c := range []struct {
		lanes, stride int
		window        bool // what is folded lies side by side
		written       bool
	}{{40, 2, false, true}, {40, 4, false, true}, {40, 5, false, false}, {9, 2, false, false}, {40, 2, true, false}, {40, 4, true, false}} {
		dom := engine.Domain{11, c.lanes, 6}
		in := engine.Operand{DType: tensor.Float32, Len: int64(dom.Size() * int64(c.stride))}
		row := int64(c.lanes * c.stride)
		down := row
		if c.window {
			down = 1
		}
		at := engine.AxisIndex(0).Mul(6 * row).Add(engine.AxisIndex(2).Mul(down)).Add(engine.AxisIndex(1).Mul(int64(c.stride)))
		task := sample.Reduce(dom, 2, engine.Max, engine.Load(0, in.DType, at, nil), in)
		p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 5), 1e-4, 40)
		if c.written {
			require.Regexp(t, fmt.Sprintf(` \+ %d \* [a-z]`, c.stride), p.Source)
		} else {
			require.NotRegexp(t, fmt.Sprintf(` \+ %d \* [a-z]`, c.stride), p.Source)
		}
	}
}

package reduce

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// Through plans a Row of one fold and outputs over the row that do not need it, in one pass over few long rows. The first output is
// for rows, the others are over them.
func Through(d *facts.Device, t *engine.Task) (*variant.Plan, error) {
	r := newReduction(d, t)
	r.values = t.Values[:1]
	name := "group"
	if d.CPU {
		name = "block"
	}
	c := r.choose(name)
	if err := r.settle(&c); err != nil {
		return nil, err
	}
	return r.plan(c)
}

// through defines THROUGH and hooks for outputs over the row, of a column at coordinates, and unless axis is -1 vectors along that.
// It reports whether all have these.
func (r *reduction) through(g *codegen.Builder, axis int, columns ...codegen.Coord) (plain bool) {
	t := r.task
	over := t.Values[len(r.values):]
	g.Macro("THROUGH", codegen.OneIf(len(over) > 0))
	if len(over) == 0 {
		return true
	}
	coords := append([]codegen.Coord{{Name: "r", Axes: access.Axes(t, 0)}}, columns...)
	bytes := int64(0)
	for _, o := range t.Outs[len(r.values):] {
		bytes += o.Bytes()
	}
	streamed := r.dev.Streamed(t, bytes)
	plain = axis >= 0
	var each strings.Builder
	for k, e := range over {
		i := len(r.values) + k
		name, names := fmt.Sprint("OUT", i), fmt.Sprint("OUTS", i)
		g.Hook(name, coords, e, tensor.Invalid)
		g.Macro(name+"_T", codegen.RegType(e.DType))
		g.StoreOne(fmt.Sprint("STORE", i), i, e)
		fmt.Fprintf(&each, " DO(%d)", i)
		to := t.Outs[i].DType
		whole := codegen.StorageType(to) == codegen.RegType(to)
		if plain = plain && whole && g.VectorHook(names, coords, axis, codegen.VectorLanes, e, to, 0); !plain {
			continue
		}
		vector := codegen.VectorType(to, codegen.VectorLanes)
		_, at, _ := g.Stored(i, e.DType, "v")
		fmt.Fprintf(&g.Hooks, "typedef %s __attribute__((aligned(%d))) %s_ANYWHERE;\n", vector, to.Size(), names)
		g.Macro(names+"_T", vector)
		put := fmt.Sprintf("*(__global %s_ANYWHERE *)(%s + (at)) = (v)", names, at)
		if streamed && to.Size()*codegen.VectorLanes == facts.LineBytes {
			put = fmt.Sprintf("STREAM_LINE(%s, %s_ANYWHERE, v, %s + (at))", vector, names, at)
		}
		g.Macro(fmt.Sprintf("PUT%d(at, v)", i), put)
	}
	g.Macro("EACH_OUT(DO)", each.String())
	return plain
}

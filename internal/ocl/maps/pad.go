package maps

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// padding is a tiling whose value is one element of the input, at the row from
// an address of outer point and column, or 0: by outer point, or outside rows.
type padding struct {
	*tiling
	load     *engine.Expr
	at       *engine.Index // of row 0
	step     int64         // from column to column
	from, to int64         // rows inside
	inside   []engine.Cond // of the outer axes
}

// padding finds out whether m is one.
func (m *tiling) padding() (p padding, ok bool) {
	t := m.task
	e := t.Values[0]
	_, rows, cols := m.extents()
	if len(m.cols) != 1 || len(t.Values) != 1 || t.Alias != nil || rows < kernels.TileSide || cols < kernels.TileSide && !m.narrow() {
		return p, false
	}
	if e.Op != engine.OpLoad || len(e.Conds) == 0 || codegen.RegType(e.DType) != codegen.RegType(t.Ins[e.Input].DType) {
		return p, false
	}
	coef, ok := e.Addr.Affine(len(t.Axes))
	if !ok || coef[m.along] != 1 || coef[m.cols[0]] < 0 {
		return p, false
	}
	p = padding{tiling: m, load: e, step: coef[m.cols[0]], to: rows, at: e.Addr.Add(engine.AxisIndex(m.along).Mul(-1))}
	for _, c := range e.Conds {
		x := engine.IndexValue(tensor.Int64, c.X)
		if !access.Uses(x, []int{m.along, m.cols[0]}) {
			p.inside = append(p.inside, c)
			continue
		}
		if rest := c.X.Add(engine.AxisIndex(m.along).Mul(-1)); len(rest.Terms) == 0 {
			p.from, p.to = max(p.from, c.Lo-rest.Const), min(p.to, c.Hi-rest.Const)
			continue
		}
		return p, false
	}
	p.from = min(p.from, rows)
	p.to = max(p.to, p.from)
	return p, true
}

func (p padding) plan() (*variant.Plan, error) {
	t := p.task
	outer, rows, cols := p.extents()
	across := variant.CeilDiv(cols, kernels.TileSide)
	span := max(outer*across/int64(16*p.dev.Units), 1)
	in := t.Ins[p.load.Input]
	g := codegen.New(p.dev, t)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"OUTER", outer}, {"ROWS", rows}, {"COLS", cols}, {"OSPAN", span},
		{"FROM", p.from}, {"TO", p.to}, {"STEP", p.step}, {"LEN", in.Len},
	} {
		g.Size(s.name, s.v)
	}
	out := codegen.RegType(p.load.DType)
	g.Macro("OUT", out)
	g.Macro("VL", kernels.TileSide)
	g.Macro("VT", fmt.Sprint(out, kernels.TileSide))
	g.Macro("HAVE(x)", map[int64]string{1: "convert_char16(x)", 2: "convert_short16(x)", 4: "x",
		8: "convert_long16(x)"}[codegen.RegSize(p.load.DType)])
	load := fmt.Sprintf("vload%d(0, p)", kernels.TileSide)
	if codegen.IsHalfType(in.DType) {
		load = codegen.Widening(in.DType, kernels.TileSide)
	}
	g.Macro("LOAD16_AT(p)", load)
	g.Macro("LOAD16(i)", fmt.Sprintf("LOAD16_AT((%s + (i)))", g.Pointer(p.load.Input)))
	g.Hook("AT", []codegen.Coord{{Name: "o", Axes: p.outer}, {Name: "c", Axes: p.cols}}, engine.IndexValue(tensor.Int64, p.at), tensor.Invalid)
	g.Hook("INSIDE", []codegen.Coord{{Name: "o", Axes: p.outer}}, engine.Valid(p.inside), tensor.Invalid)
	p.places(g)
	return &variant.Plan{
		Params: fmt.Sprintf("padded view=%dx%dx%d outer=%d", outer, rows, cols, span),
		Launches: []variant.Launch{{
			Program: g.Assemble("lib/cpu_transpose.cl", "map/cpu_tile_store.cl", "map/cpu_pad.cl"), Kernel: "map_pad",
			Global: variant.Grid(across, variant.CeilDiv(outer, span)), Local: [3]int{1, 1},
		}},
	}, nil
}

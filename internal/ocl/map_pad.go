package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
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
	if len(t.Values) != 1 || t.Alias != nil || rows < kernels.TileSide || cols < kernels.TileSide {
		return p, false
	}
	if e.Op != engine.OpLoad || len(e.Conds) == 0 || regType(e.DType) != "float" || regType(t.Ins[e.Input].DType) != "float" {
		return p, false
	}
	coef, ok := e.Addr.Affine(len(t.Axes))
	if !ok || coef[m.along] != 1 || coef[m.last] < 0 {
		return p, false
	}
	p = padding{tiling: m, load: e, step: coef[m.last], to: rows, at: e.Addr.Add(engine.AxisIndex(m.along).Mul(-1))}
	for _, c := range e.Conds {
		x := engine.IndexValue(tensor.Int64, c.X)
		if !uses(x, []int{m.along, m.last}) {
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

func (p padding) plan() (*plan, error) {
	t := p.task
	outer, rows, cols := p.extents()
	across := ceilDiv(cols, kernels.TileSide)
	span := max(outer*across/int64(16*p.dev.units), 1)
	in := t.Ins[p.load.Input]
	g := newGen(p.dev, t)
	for _, s := range []struct {
		name string
		v    int64
	}{
		{"OUTER", outer}, {"ROWS", rows}, {"COLS", cols}, {"OSPAN", span},
		{"FROM", p.from}, {"TO", p.to}, {"STEP", p.step}, {"LEN", in.Len},
	} {
		g.size(s.name, s.v)
	}
	g.macro("VL", kernels.TileSide)
	g.macro("VT", "float16")
	load := fmt.Sprintf("vload%d(0, p)", kernels.TileSide)
	if isHalfType(in.DType) {
		load = widening(in.DType, kernels.TileSide)
	}
	g.macro("LOAD16_AT(p)", load)
	g.macro("LOAD16(i)", fmt.Sprintf("LOAD16_AT((%s + (i)))", g.pointer(p.load.Input)))
	g.hook("AT", []coord{{"o", p.outer}, {"c", []int{p.last}}}, engine.IndexValue(tensor.Int64, p.at), tensor.Invalid)
	g.hook("INSIDE", []coord{{"o", p.outer}}, engine.Valid(p.inside), tensor.Invalid)
	p.places(g)
	return &plan{
		params: fmt.Sprintf("padded view=%dx%dx%d outer=%d", outer, rows, cols, span),
		launches: []launch{{
			prog: g.assemble("transpose.cl", "map_pad.cl"), kernel: "map_pad",
			global: grid(across, ceilDiv(outer, span)), local: [3]int{1, 1},
		}},
	}, nil
}

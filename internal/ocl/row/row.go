// Package row plans tasks that fold each row several times and map it with the results, as softmax
// and layer normalisation do.
package row

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/reduce"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func init() {
	variant.Register(variant.Family{
		Name: engine.Row.String(), Kind: engine.Row, Variants: []string{"keep", "group", "block", "band", "split"},
		Choose: rowVariants, Class: variant.FoldClass,
	})
}

func rowVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	t = belowTheirMaxima(t)
	block := variant.Variant{Name: "block", Why: "a CPU driver: a row an item, columns in vectors",
		Plan: func() (*variant.Plan, error) { return newRowPlan(d, t, false).block() }}
	group := variant.Variant{Name: "group", Why: "a work-group a row",
		Plan: func() (*variant.Plan, error) { return newRowPlan(d, t, false).group() }}
	split := variant.Variant{Name: "split", Why: "a fold after the other, each over all rows",
		Plan: func() (*variant.Plan, error) { return splitRow(d, t) }}
	together := []variant.Variant{group, block}
	if d.CPU {
		slices.Reverse(together)
	}
	if p := newRowPlan(d, t, true); p.fitsRegisters() {
		keep := variant.Variant{Name: "keep", Why: "a work-group a row, in registers", Plan: p.keep}
		if d.CPU {
			together = append(together, keep)
		} else {
			together = slices.Insert(together, 0, keep)
		}
	}
	if p := newRowPlan(d, t, false); p.narrow() {
		band := variant.Variant{Name: "band", Why: "a CPU driver: sixteen short rows at a time", Plan: p.band}
		if d.CPU {
			together = slices.Insert(together, 0, band)
		} else {
			together = append(together, band)
		}
	}
	if slices.ContainsFunc(t.Folds, func(f engine.Fold) bool { return codegen.MultipliesMany(f, t.Size(1)) }) {
		return []variant.Variant{split} // the folds of whole rows have states for them
	}
	if rowsTogether(d, t) {
		return append(together, split)
	}
	return slices.Insert(together, 0, split)
}

// belowTheirMaxima is t with ExpBelow for exp of floats less the largest of their row: softmax.
func belowTheirMaxima(t *engine.Task) *engine.Task {
	if !slices.ContainsFunc(t.Folds, func(f engine.Fold) bool { return f.Monoid == engine.Max }) {
		return t
	}
	shifted := func(e *engine.Expr) bool {
		if !e.Applies(engine.FnSub) || e.Args[1].Op != engine.OpAcc {
			return false
		}
		f := t.Folds[e.Args[1].Input]
		return f.Monoid == engine.Max && f.Value.Key() == e.Args[0].Key()
	}
	return t.Rewrite(func(e *engine.Expr) *engine.Expr {
		return e.Rewrite(func(e *engine.Expr) *engine.Expr {
			if e.Applies(engine.FnExp) && e.DType == tensor.Float32 && shifted(e.Args[0]) {
				return engine.Apply(codegen.ExpBelow, e.DType, e.Args[0])
			}
			return e
		})
	})
}

// fewLong reports whether there are fewer rows than units, long ones.
func fewLong(d *facts.Device, t *engine.Task) bool {
	return t.Size(0) < int64(d.Units) && t.Size(1) > 1<<14
}

// rowsTogether reports whether rows are to be taken one by one, and not a fold
// of all rows after the other: where there are enough to keep every unit busy,
// with columns that are neighbours in memory. Columns over several axes are not:
// vectors of a row would divide each column, and those of a fold go by runs.
func rowsTogether(d *facts.Device, t *engine.Task) bool {
	if fewLong(d, t) {
		return false
	}
	out, row := access.Axes(t, 0), access.Axes(t, 1)
	if d.CPU && len(row) > 1 && t.Axes[row[len(row)-1]] >= reduce.ShortRun {
		return false
	}
	if len(row) == 0 || len(out) == 0 {
		return true
	}
	for _, e := range t.Exprs() {
		across, down := access.StrideOfPieces(e, out[len(out)-1]), access.StrideOfPieces(e, row[len(row)-1])
		if down > 4 && across >= 0 && across < down && t.Axes[out[len(out)-1]] > 1 {
			return false
		}
	}
	return true
}

// name is how kernels call result i: of a fold, hoisted, or staged.
func (p *rowPlan) name(i int) string {
	folds, hoists := len(p.task.Folds), len(p.hoists)
	switch {
	case i < folds:
		return fmt.Sprint("acc", i)
	case i < folds+hoists:
		return fmt.Sprint("h", i-folds)
	}
	return fmt.Sprint("st", i-folds-hoists)
}

// ctype is the type of result i.
func (p *rowPlan) ctype(i int) string {
	folds, hoists := len(p.task.Folds), len(p.hoists)
	switch {
	case i < folds:
		return codegen.RegType(p.task.Folds[i].Acc)
	case i < folds+hoists:
		return codegen.RegType(p.hoists[i-folds].DType)
	}
	return codegen.RegType(p.stages[i-folds-hoists].DType)
}

// define writes the hook name(c) of one value over columns, or name() of one
// for the row, where row r and the results that it uses are in scope.
func (p *rowPlan) define(g *codegen.Builder, name string, e *engine.Expr, columns bool) {
	coords, params, names := p.scope(e, columns, func(ctype, array string) codegen.Param {
		if p.keeps {
			return codegen.Param{CType: ctype, Name: array, Arg: array + "[k]"}
		}
		return codegen.Param{CType: ctype, Name: array, Arg: array + "[c]"}
	})
	g.Function(name, coords, params, names, []*engine.Expr{e})
}

// defineVector is define of 16 neighbours as a vector of dtype to. It reports
// false, and defines nothing, where there is no such text.
func (p *rowPlan) defineVector(g *codegen.Builder, name string, e *engine.Expr, to tensor.DType, way schedule) bool {
	row := access.Axes(p.task, 1)
	if way.grouped() || len(row) != 1 {
		return false
	}
	coords, params, names := p.scope(e, true, func(ctype, array string) codegen.Param {
		return codegen.Param{CType: way.space() + ctype + " *", Name: array, Arg: array}
	})
	return g.VectorFunction(name, coords, params, names, row[0], codegen.VectorLanes, e, to, 0)
}

// scope returns the parameters of a function for e over columns; stage makes the parameter for an array.
func (p *rowPlan) scope(e *engine.Expr, columns bool, stage func(ctype, array string) codegen.Param) (coords []codegen.Coord,
	params []codegen.Param, names map[int]string) {
	coords = append(coords, codegen.Coord{Name: "r", Axes: access.Axes(p.task, 0)})
	params = append(params, codegen.Param{CType: "IDX", Name: "r", Arg: "r"})
	if columns {
		coords = append(coords, codegen.Coord{Name: "c", Axes: access.Axes(p.task, 1)})
		params = append(params, codegen.Param{CType: "IDX", Name: "c", Arg: ""})
	}
	names = map[int]string{}
	for _, i := range results(e) {
		name := p.name(i)
		if names[i] = name; !strings.HasPrefix(name, "st") {
			params = append(params, codegen.Param{CType: p.ctype(i), Name: name, Arg: name})
			continue
		}
		of := stage(p.ctype(i), name)
		if params = append(params, of); of.Arg == name {
			names[i] += "[c]"
		}
	}
	return coords, params, names
}

// outputs writes the hooks of the outputs, and lists them for EACH_OVER and
// ROW_RESULTS. They are plain where each over the row has vectors OUTS##i, too,
// which are stored as they are.
func (p *rowPlan) outputs(g *codegen.Builder, way schedule) (each, results []string, plain bool) {
	plain = !way.grouped() && p.original.Alias == nil
	for i, e := range p.task.Values {
		over := slices.Contains(p.over, i)
		p.define(g, fmt.Sprint("OUT", i), e, over)
		g.StoreOne(fmt.Sprint("STORE", i), i, e)
		if !over {
			results = append(results, fmt.Sprintf("STORE%d(r, OUT%d());", i, i))
			continue
		}
		fmt.Fprintf(&g.Hooks, "#define OUT%d_T %s\n", i, codegen.RegType(e.DType))
		to := p.original.Outs[i].DType
		plain = plain && to.Size() == 4 && p.defineVector(g, fmt.Sprint("OUTS", i), e, to, way)
		if !way.grouped() {
			ctype, at, bits := g.Stored(i, e.DType, "(v)")
			fmt.Fprintf(&g.Hooks, "#define BITS%d %s\n#define BITS%d_OF(v) %s\n#define AT%d %s\n", i, ctype, i, bits, i, at)
			if i == p.over[0] {
				g.Macro("FIRST", at)
			}
		}
		each = append(each, fmt.Sprintf("DO(%d)", i))
	}
	return each, results, plain
}

// writeVectors defines the macros of row/cpu_fold.cl for vectors of the values that f folds.
func writeVectors(b *strings.Builder, f engine.Fold) {
	name := strings.ToUpper(strings.TrimPrefix(f.Monoid.String(), "arg"))
	fmt.Fprintf(b, "#define VECTOR_FOLD VECTOR_%s\n", name)
	orders := f.Monoid == engine.Min || f.Monoid == engine.Max
	fmt.Fprintf(b, "#define NOTES_NANS %d\n", codegen.OneIf(orders && codegen.FoldType(f).IsFloat()))
	truth := map[bool]string{false: "int", true: "long"}[codegen.FoldType(f) == tensor.Float64]
	fmt.Fprintf(b, "#define NANS(n) %s##n\n", truth)
}

// ahead is the text that prefetches the loads of the next row from column c on, while this one is
// computed with: a core would else wait for memory in the first pass over every row, and leave it
// idle in the others.
func (p *rowPlan) ahead(g *codegen.Builder, way schedule) string {
	t := p.original
	out, row := access.Axes(t, 0), access.Axes(t, 1)
	if len(row) == 0 || p.alone {
		return ""
	}
	var b strings.Builder
	seen := map[string]bool{}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			coef, ok := []int64(nil), false
			if s.Op == engine.OpLoad {
				coef, ok = s.Addr.Affine(len(t.Axes))
			}
			if !ok || coef[row[len(row)-1]] != 1 || !access.Uses(s, out) || seen[s.Key()] || len(seen) == 4 {
				continue
			}
			name := fmt.Sprint("AHEAD", len(seen))
			seen[s.Key()] = true
			next, column, count := "r + 1", "c", ""
			if way == byBands {
				next, column, count = "r + BAND", "0", ", COLS"
			}
			g.Function(name, []codegen.Coord{{Name: "r", Axes: out}, {Name: "c", Axes: row}}, []codegen.Param{{CType: "IDX", Name: "r", Arg: next},
				{CType: "IDX", Name: "c", Arg: column}}, nil,
				[]*engine.Expr{engine.IndexValue(tensor.Int64, s.Addr)})
			size := t.Ins[s.Input].DType.Size()
			fmt.Fprintf(&b, "%s((%s), %s(), %d%s) ", map[schedule]string{byBlocks: "FETCH_ROW", byBands: "FETCH_RUN"}[way], g.Pointer(s.Input), name,
				64/size, count)
		}
	}
	return b.String()
}

// prepare is the text that computes stages [from, to) of n columns.
func (p *rowPlan) prepare(w schedule, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		if w == byKeeping {
			fmt.Fprintf(&b, "st%d[k] = STAGED%d(c); ", i, i)
			continue
		}
		at := "c + k"
		if w == byBands {
			at += fmt.Sprintf(" + APART(%d)", i+1)
		}
		one := "st%d[c + k] = IN(k) ? STAGED%d(%s) : 0; "
		if p.inPlace { // past the end the next row begins
			one = "if (IN(k)) st%d[c + k] = STAGED%d(%s); "
		}
		fmt.Fprintf(&b, "COLUMNS for (int k = 0; k < (n); k++) "+one, i, i, at)
	}
	return b.String()
}

// prepareAll is prepare for n columns that are all in the row, in whole vectors where stages have such text.
func (p *rowPlan) prepareAll(w schedule, from, to int, inVectors bool) string {
	if from == to || !inVectors {
		return strings.NewReplacer("IN(k) ? ", "", " : 0;", ";", "if (IN(k)) ", "").Replace(p.prepare(w, from, to))
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "_Pragma(\"unroll\") for (int k_ = 0; k_ < (n); k_ += 16) *(STAGE_SPACE FLOAT16_ANYWHERE *)(st%d + c + k_) = as_float16(STAGEDS%d(c + k_)); ", i, i)
	}
	return b.String()
}

// start begins the program for items that each keep a stage of a row.
func (p *rowPlan) start(original *engine.Task, items int64, out *variant.Plan) *codegen.Builder {
	g := codegen.New(p.dev, original, items*variant.RoundUp(p.cols, rowVec))
	g.InlineHooks()
	g.Passes = true
	g.Size("ROWS", p.rows)
	g.Size("COLS", p.cols)
	pitch := variant.RoundUp(p.cols, rowVec)
	if p.inPlace {
		return g
	}
	if len(p.stages) > 0 {
		g.Size("PITCH", pitch)
	}
	for i, e := range p.stages {
		g.ScratchArg(fmt.Sprint("STAGE", i), i, codegen.RegType(e.DType))
		out.Scratch = append(out.Scratch, max(items*pitch, 1)*codegen.RegSize(e.DType))
	}
	return g
}

// rowVec is the columns that row_block takes at once.
const rowVec = 64

// streamed reports whether rows have enough lines for row/cpu_block.cl to store them
// past the caches.
func (p *rowPlan) streamed() bool { return p.cols >= 2*rowVec && p.beyondCaches() }

// beyondCaches reports whether no cache holds the outputs over rows.
func (p *rowPlan) beyondCaches() bool {
	bytes := int64(0)
	for _, i := range p.over {
		bytes += p.original.Outs[i].Bytes()
	}
	return p.dev.Streamed(p.original, bytes)
}

// keepsInPlace reports whether the staged values of a row may lie where its output will: then the
// caches hold nothing but operands.
func (p *rowPlan) keepsInPlace() bool {
	float := func(t tensor.DType) bool { return t == tensor.Float32 }
	return len(p.stages) == 1 && float(p.stages[0].DType) && len(p.over) == 1 && float(p.original.Outs[p.over[0]].DType) &&
		p.original.Alias == nil && !p.streamed()
}

func (p *rowPlan) block() (*variant.Plan, error) {
	m := kernels.RowBlock(p.rows, p.cols, p.dev.Units)
	p.inPlace, p.alone = p.keepsInPlace(), m.Rows == 1
	out := &variant.Plan{Params: fmt.Sprintf("view=%dx%d vec=%d rows=%d stages=%d", p.rows, p.cols, rowVec, m.Rows, len(p.stages))}
	g := p.start(p.original, int64(m.Global[0]), out)
	g.Size("RSPAN", m.Rows)
	g.Macro("VEC", rowVec)
	g.Macro("WHOLE", "(COLS / 16 * 16)")
	g.Macro("PADDED", "((COLS + 15) / 16 * 16)")
	g.Macro("BUFFERED", codegen.OneIf(p.original.Alias != nil))
	g.Macro("STREAMED", codegen.OneIf(p.streamed()))
	g.Macro("IN_PLACE", codegen.OneIf(p.inPlace))
	p.program(g, byBlocks)
	out.Launches = []variant.Launch{{Program: g.Assemble("row/cpu_block.cl"), Kernel: "row_block", Global: m.Global, Local: m.Local}}
	return out, nil
}

func (p *rowPlan) group() (*variant.Plan, error) {
	wg := kernels.ReduceGroupSize(p.cols, p.dev.WorkGroup)
	m := kernels.RowGroup(p.rows, wg, p.dev.Units)
	out := &variant.Plan{Params: fmt.Sprintf("view=%dx%d wg=%d stages=%d", p.rows, p.cols, wg, len(p.stages))}
	g := p.start(p.original, int64(m.Global[0]/wg), out)
	g.Macro("WG", wg)
	p.program(g, byGroups)
	out.Launches = []variant.Launch{{Program: g.Assemble("row/gpu_group.cl"), Kernel: "row_group", Global: m.Global, Local: m.Local}}
	return out, nil
}

// keptWords is how many registers of 32 bits an item has for kept values.
const keptWords = 64

// keepShape is the work-items of a row that is kept in registers, and the columns that each has.
func (p *rowPlan) keepShape() (wg int, columns int64) {
	return kernels.RowKept(p.rows, p.cols, p.dev.Units, p.dev.WorkGroup)
}

// fitsRegisters reports whether a work-group can keep a row.
func (p *rowPlan) fitsRegisters() bool {
	_, columns := p.keepShape()
	words := int64(1)
	for _, e := range p.stages {
		words += max(codegen.RegSize(e.DType), 4) / 4
	}
	return p.cols > 0 && columns <= kernels.MostKept && columns*(words-1) <= keptWords
}

func (p *rowPlan) keep() (*variant.Plan, error) {
	wg, columns := p.keepShape()
	m := kernels.RowKeep(p.rows, wg)
	out := &variant.Plan{Params: fmt.Sprintf("view=%dx%d wg=%d kept=%dx%d", p.rows, p.cols, wg, len(p.stages), columns)}
	g := codegen.New(p.dev, p.original, p.rows*p.cols)
	g.Passes = true
	g.Size("ROWS", p.rows)
	g.Size("COLS", p.cols)
	g.Macro("WG", wg)
	g.Macro("KEPT", columns)
	g.Macro("FEW", min(wg, 16))
	g.Macro("FULL", codegen.OneIf(p.cols == int64(wg)*columns))
	p.program(g, byKeeping)
	out.Launches = []variant.Launch{{Program: g.Assemble("row/gpu_keep.cl"), Kernel: "row_keep", Global: m.Global, Local: m.Local}}
	return out, nil
}

// planPart plans a part of a row task, and names the variant.
func planPart(d *facts.Device, t *engine.Task) (p *variant.Plan, name string, err error) {
	if t.Kind == engine.Row {
		p, err = reduce.Through(d, access.Collapse(t))
		return p, "through", err
	}
	_, variants, err := variant.Of(d, t)
	if err != nil {
		return nil, "", err
	}
	p, err = variants[0].Plan()
	return p, variants[0].Name, err
}

// splitRow runs the parts of a row task one after the other.
func splitRow(d *facts.Device, t *engine.Task) (*variant.Plan, error) {
	var order []int
	if d.CPU {
		order = reduce.Sideways(t)
	}
	parts, temps := engine.SplitRow(t, fewLong(d, t), order)
	out := &variant.Plan{}
	for _, o := range temps {
		out.Scratch = append(out.Scratch, max(o.Bytes(), 1))
	}
	own := len(t.Ins) + len(t.Outs)
	shared := len(out.Scratch) // scratch of the parts comes after, and may be used by all
	for _, part := range parts {
		if !slices.ContainsFunc(part.Task.Outs, func(o engine.Operand) bool { return o.Len > 0 }) {
			continue
		}
		p, name, err := planPart(d, part.Task)
		if err != nil {
			return nil, err
		}
		operands := slices.Concat(part.Ins, part.Outs)
		for i, n := range p.Scratch {
			if at := shared + i; at == len(out.Scratch) {
				out.Scratch = append(out.Scratch, n)
			} else {
				out.Scratch[at] = max(out.Scratch[at], n)
			}
		}
		for _, l := range p.Launches {
			prog := *l.Program
			prog.Args = slices.Clone(prog.Args)
			for i, a := range prog.Args {
				switch a.Kind {
				case codegen.ArgBuffer, codegen.ArgOffset:
					if a.Index = operands[a.Index]; a.Index >= own {
						a.Index -= own
						a.Kind = map[codegen.ArgKind]codegen.ArgKind{codegen.ArgBuffer: codegen.ArgScratch, codegen.ArgOffset: codegen.ArgStart}[a.Kind]
					}
				case codegen.ArgScratch:
					a.Index += shared
				}
				prog.Args[i] = a
			}
			l.Program = &prog
			out.Launches = append(out.Launches, l)
		}
		out.Params += " " + part.Task.Kind.String() + "=" + name
	}
	out.Params = strings.TrimSpace(out.Params)
	return out, nil
}

package ocl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func rowVariants(d *deviceFacts, t *engine.Task) []variant {
	t = belowTheirMaxima(t)
	block := variant{name: "block", why: "a CPU driver: a row an item, columns in vectors", plan: func() (*plan, error) { return newRowPlan(d, t).block() }}
	group := variant{name: "group", why: "a work-group a row", plan: func() (*plan, error) { return newRowPlan(d, t).group() }}
	split := variant{name: "split", why: "a fold after the other, each over all rows", plan: func() (*plan, error) { return splitRow(d, t) }}
	together := []variant{group, block, split}
	if d.cpu {
		together = []variant{block, group, split}
	}
	if p := newRowPlan(d, t); p.narrow() {
		band := variant{name: "band", why: "a CPU driver: sixteen short rows at a time", plan: p.band}
		if d.cpu {
			together = []variant{band, block, split, group}
		} else {
			together = append(together, band)
		}
	}
	if slices.ContainsFunc(t.Folds, func(f engine.Fold) bool { return multipliesMany(f, t.Size(1)) }) {
		return []variant{split} // the folds of whole rows have states for them
	}
	if rowsTogether(d, t) {
		return together
	}
	rest := slices.DeleteFunc(slices.Clone(together), func(v variant) bool { return v.name == "split" })
	return append([]variant{split}, rest...)
}

// expBelow is exp of what is not above 0.
var expBelow = &engine.Scalar{Name: "exp_below", Arity: 1, C: "exp_below(a)", Flops: 16}

// belowTheirMaxima is t with expBelow for exp of floats less the largest of their row: softmax.
func belowTheirMaxima(t *engine.Task) *engine.Task {
	if !slices.ContainsFunc(t.Folds, func(f engine.Fold) bool { return f.Monoid == engine.Max }) {
		return t
	}
	shifted := func(e *engine.Expr) bool {
		if e.Op != engine.OpApply || e.Fn.C != "a - b" || e.Args[1].Op != engine.OpAcc {
			return false
		}
		f := t.Folds[e.Args[1].Input]
		return f.Monoid == engine.Max && f.Value.Key() == e.Args[0].Key()
	}
	return t.Rewrite(func(e *engine.Expr) *engine.Expr {
		return e.Rewrite(func(e *engine.Expr) *engine.Expr {
			if e.Op == engine.OpApply && e.Fn.C == "exp(a)" && e.DType == tensor.Float32 && shifted(e.Args[0]) {
				return engine.Apply(expBelow, e.DType, e.Args[0])
			}
			return e
		})
	})
}

// rowsTogether reports whether rows are to be taken one by one, and not a fold
// of all rows after the other: where there are enough to keep every unit busy,
// with columns that are neighbours in memory.
func rowsTogether(d *deviceFacts, t *engine.Task) bool {
	rows, cols := t.Size(0), t.Size(1)
	if rows < int64(d.units) && cols > 1<<14 {
		return false
	}
	out, row := axesOf(t, 0), axesOf(t, 1)
	if len(row) == 0 || len(out) == 0 {
		return true
	}
	for _, e := range t.Exprs() {
		across, down := step(e, out[len(out)-1]), step(e, row[len(row)-1])
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
		return regType(p.task.Folds[i].Acc)
	case i < folds+hoists:
		return regType(p.hoists[i-folds].DType)
	}
	return regType(p.stages[i-folds-hoists].DType)
}

// define writes the hook name(c) of one value over columns, or name() of one
// for the row, where row r and the results that it uses are in scope.
func (p *rowPlan) define(g *gen, name string, e *engine.Expr, columns bool) {
	coords, params, names := p.scope(e, columns, func(ctype, array string) param { return param{ctype, array, array + "[c]"} })
	g.function(name, coords, params, names, []*engine.Expr{e})
}

// defineVector is define of 16 neighbours as a vector of dtype to. It reports
// false, and defines nothing, where there is no such text.
func (p *rowPlan) defineVector(g *gen, name string, e *engine.Expr, to tensor.DType, way rowWay) bool {
	row := axesOf(p.task, 1)
	if way == byGroups || len(row) != 1 {
		return false
	}
	coords, params, names := p.scope(e, true, func(ctype, array string) param { return param{way.space() + ctype + " *", array, array} })
	return g.vectorFunction(name, coords, params, names, row[0], e, to, 0)
}

// scope is what a function for e over columns is told; stage makes the parameter
// for an array.
func (p *rowPlan) scope(e *engine.Expr, columns bool, stage func(ctype, array string) param) (coords []coord, params []param, names map[int]string) {
	coords = append(coords, coord{"r", axesOf(p.task, 0)})
	params = append(params, param{"IDX", "r", "r"})
	if columns {
		coords = append(coords, coord{"c", axesOf(p.task, 1)})
		params = append(params, param{"IDX", "c", ""})
	}
	names = map[int]string{}
	for _, i := range results(e) {
		name := p.name(i)
		if names[i] = name; !strings.HasPrefix(name, "st") {
			params = append(params, param{p.ctype(i), name, name})
			continue
		}
		of := stage(p.ctype(i), name)
		if params = append(params, of); of.arg == name {
			names[i] += "[c]"
		}
	}
	return coords, params, names
}

// program writes everything but the kernel, for rows taken in that way.
func (p *rowPlan) program(g *gen, way rowWay) {
	t := p.task
	for i, e := range p.hoists {
		p.define(g, fmt.Sprint("HOIST", i), e, false)
	}
	inVectors := way != byGroups
	if inVectors && len(p.stages) > 0 {
		g.macro("STAGE_SPACE", strings.TrimSpace(way.space()))
	}
	for i, e := range p.stages {
		p.define(g, fmt.Sprint("STAGED", i), e, true)
		inVectors = inVectors && e.DType.Size() == 4 && p.defineVector(g, fmt.Sprint("STAGEDS", i), e, e.DType, way)
	}
	fetch := ""
	g.macro("COLUMNS", map[bool]string{false: "WIDE", true: "WIDE_SHORT"}[way == byBands])
	if way != byGroups {
		fetch = p.ahead(g, way)
		g.macro("BAND", map[rowWay]int{byBlocks: 1, byBands: bandRows}[way])
	}
	k := &rowKnown{way: way}
	serial := p.cols // values that a state takes
	if way != byGroups {
		serial /= rowVec
	}
	for i, e := range p.stages {
		if p.inPlace {
			k.stageIn(i, regType(e.DType), p.over[0])
		} else {
			k.stage(i, regType(e.DType))
		}
	}
	hoisted := 0
	hoist := func(to int) {
		for ; hoisted < to; hoisted++ {
			k.hoist(hoisted, regType(p.hoists[hoisted].DType))
		}
	}
	aheadOf := func(pass int) string {
		if pass == min(len(t.Folds), 1) {
			return fetch
		}
		return ""
	}
	staged := 0
	for i, f := range t.Folds {
		hoist(p.passes[i].hoists)
		p.define(g, fmt.Sprint("LOAD", i), f.Value, true)
		plain := p.defineVector(g, fmt.Sprint("LOADS", i), f.Value, foldType(f), way)
		head := k.head(i, f)
		fmt.Fprintf(&g.hooks, "%s;\n", head)
		g.section(func() {
			fmt.Fprintf(&g.hooks, "#define FOLD_FUNCTION %s\n", head)
			writeMonoid(&g.hooks, f, foldType(f), serial)
			if way != byGroups {
				part, call := k.part(i, f)
				fmt.Fprintf(&g.hooks, "%s;\n#define PART_FUNCTION %s\n#define PART %s\n", part, part, call)
				fmt.Fprintf(&g.hooks, "#define AHEAD %s\n#define PLAIN %d\n#define LOADS(c) LOADS%d(c)\n", aheadOf(i), oneIf(plain), i)
				fmt.Fprintf(&g.hooks, "#define PREPARE_ALL(n) %s\n", p.prepareAll(way, staged, p.passes[i].stages, inVectors))
				writeVectors(&g.hooks, f)
			}
			if way == byBands {
				fmt.Fprintf(&g.hooks, "#define KNOWN(j) %s\n", k.declared())
			}
			fmt.Fprintf(&g.hooks, "#define PREPARE(n, IN) %s\n", p.prepare(way, staged, p.passes[i].stages))
			fmt.Fprintf(&g.hooks, "#define LOAD(c) LOAD%d(c)\n", i)
		}, "reduce/any_monoid.cl", map[bool]string{false: "row/cpu_fold.cl", true: "row/gpu_fold.cl"}[way == byGroups])
		staged = p.passes[i].stages
		k.fold(i, f)
	}
	hoist(p.passes[len(t.Folds)].hoists)
	each, results, plain := p.outputs(g, way)
	line := func(name string, parts []string) {
		fmt.Fprintf(&g.hooks, "#define %s %s\n", name, strings.Join(parts, " \\\n    "))
	}
	switch way {
	case byGroups:
		line("ROW_TREES", k.trees)
		fallthrough
	case byBlocks:
		line("ROW_STAGES(item)", k.stages)
		line("ROW_FOLDS(r)", k.steps)
	case byBands:
		line("BAND_STATE", k.stages)
		line("BAND_FOLDS(b, n)", k.steps)
		line("KNOWN(j)", []string{k.declared()})
	}
	line("PREPARE(n, IN)", []string{p.prepare(way, staged, len(p.stages))})
	line("EACH_OVER(DO)", each)
	if way != byGroups {
		line("AHEAD", []string{aheadOf(len(t.Folds))})
		line("PREPARE_ALL(n)", []string{p.prepareAll(way, staged, len(p.stages), inVectors)})
	}
	line("ROW_RESULTS(r)", results)
	fmt.Fprintf(&g.hooks, "#define HAS_OVER %d\n#define PLAIN %d\n\n", min(len(p.over), 1), oneIf(plain))
}

// outputs writes the hooks of the outputs, and lists them for EACH_OVER and
// ROW_RESULTS. They are plain where each over the row has vectors OUTS##i, too,
// which are stored as they are.
func (p *rowPlan) outputs(g *gen, way rowWay) (each, results []string, plain bool) {
	plain = way != byGroups && p.original.Alias == nil
	for i, e := range p.task.Values {
		over := slices.Contains(p.over, i)
		p.define(g, fmt.Sprint("OUT", i), e, over)
		g.storeOne(fmt.Sprint("STORE", i), i, e)
		if !over {
			results = append(results, fmt.Sprintf("STORE%d(r, OUT%d());", i, i))
			continue
		}
		fmt.Fprintf(&g.hooks, "#define OUT%d_T %s\n", i, regType(e.DType))
		to := p.original.Outs[i].DType
		plain = plain && to.Size() == 4 && p.defineVector(g, fmt.Sprint("OUTS", i), e, to, way)
		if way != byGroups {
			ctype, at, bits := g.stored(i, e.DType, "(v)")
			fmt.Fprintf(&g.hooks, "#define BITS%d %s\n#define BITS%d_OF(v) %s\n#define AT%d %s\n", i, ctype, i, bits, i, at)
			if i == p.over[0] {
				g.macro("FIRST", at)
			}
		}
		each = append(each, fmt.Sprintf("DO(%d)", i))
	}
	return each, results, plain
}

// writeVectors defines the macros of row/cpu_fold.cl for vectors of what f folds.
func writeVectors(b *strings.Builder, f engine.Fold) {
	name := strings.ToUpper(strings.TrimPrefix(f.Monoid.String(), "arg"))
	fmt.Fprintf(b, "#define VECTOR_FOLD VECTOR_%s\n", name)
	orders := f.Monoid == engine.Min || f.Monoid == engine.Max
	fmt.Fprintf(b, "#define NOTES_NANS %d\n", oneIf(orders && foldType(f).IsFloat()))
	truth := map[bool]string{false: "int", true: "long"}[foldType(f) == tensor.Float64]
	fmt.Fprintf(b, "#define NANS(n) %s##n\n", truth)
}

// ahead is the text that fetches what the passes will read of the next row
// from column c on, while this one is computed with: a core would else wait for
// memory in the first pass over every row, and leave it idle in the others.
func (p *rowPlan) ahead(g *gen, way rowWay) string {
	t := p.original
	out, row := axesOf(t, 0), axesOf(t, 1)
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
			if !ok || coef[row[len(row)-1]] != 1 || !uses(s, out) || seen[s.Key()] || len(seen) == 4 {
				continue
			}
			name := fmt.Sprint("AHEAD", len(seen))
			seen[s.Key()] = true
			next, column, count := "r + 1", "c", ""
			if way == byBands {
				next, column, count = "r + BAND", "0", ", COLS"
			}
			g.function(name, []coord{{"r", out}, {"c", row}}, []param{{"IDX", "r", next}, {"IDX", "c", column}}, nil,
				[]*engine.Expr{engine.IndexValue(tensor.Int64, s.Addr)})
			size := t.Ins[s.Input].DType.Size()
			fmt.Fprintf(&b, "%s((%s), %s(), %d%s) ", map[rowWay]string{byBlocks: "FETCH_ROW", byBands: "FETCH_RUN"}[way], g.pointer(s.Input), name, 64/size, count)
		}
	}
	return b.String()
}

// prepare is the text that computes stages [from, to) of n columns.
func (p *rowPlan) prepare(w rowWay, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
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
func (p *rowPlan) prepareAll(w rowWay, from, to int, inVectors bool) string {
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
func (p *rowPlan) start(original *engine.Task, items int64, out *plan) *gen {
	g := newGen(p.dev, original, items*roundUp(p.cols, rowVec))
	g.passes = true
	g.size("ROWS", p.rows)
	g.size("COLS", p.cols)
	pitch := roundUp(p.cols, rowVec)
	if p.inPlace {
		return g
	}
	if len(p.stages) > 0 {
		g.size("PITCH", pitch)
	}
	for i, e := range p.stages {
		g.scratchArg(fmt.Sprint("STAGE", i), i, regType(e.DType))
		out.scratch = append(out.scratch, max(items*pitch, 1)*regSize(e.DType))
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
	return p.dev.streamed(p.original, bytes)
}

// keepsInPlace reports whether what is staged of a row may lie where its output will: then
// the caches hold nothing but operands.
func (p *rowPlan) keepsInPlace() bool {
	float := func(t tensor.DType) bool { return t == tensor.Float32 }
	return len(p.stages) == 1 && float(p.stages[0].DType) && len(p.over) == 1 && float(p.original.Outs[p.over[0]].DType) &&
		p.original.Alias == nil && !p.streamed()
}

func (p *rowPlan) block() (*plan, error) {
	m := kernels.RowBlock(p.rows, p.cols, p.dev.units)
	p.inPlace, p.alone = p.keepsInPlace(), m.Rows == 1
	out := &plan{params: fmt.Sprintf("view=%dx%d vec=%d rows=%d stages=%d", p.rows, p.cols, rowVec, m.Rows, len(p.stages))}
	g := p.start(p.original, int64(m.Global[0]), out)
	g.size("RSPAN", m.Rows)
	g.macro("VEC", rowVec)
	g.macro("BUFFERED", oneIf(p.original.Alias != nil))
	g.macro("STREAMED", oneIf(p.streamed()))
	g.macro("IN_PLACE", oneIf(p.inPlace))
	p.program(g, byBlocks)
	out.launches = []launch{{prog: g.assemble("row/cpu_block.cl"), kernel: "row_block", global: m.Global, local: m.Local}}
	return out, nil
}

func (p *rowPlan) group() (*plan, error) {
	wg := kernels.ReduceGroupSize(p.cols, p.dev.workGroup)
	m := kernels.RowGroup(p.rows, wg, p.dev.units)
	out := &plan{params: fmt.Sprintf("view=%dx%d wg=%d stages=%d", p.rows, p.cols, wg, len(p.stages))}
	g := p.start(p.original, int64(m.Global[0]/wg), out)
	g.macro("WG", wg)
	p.program(g, byGroups)
	out.launches = []launch{{prog: g.assemble("row/gpu_group.cl"), kernel: "row_group", global: m.Global, local: m.Local}}
	return out, nil
}

// splitRow runs the parts of a row task one after the other.
func splitRow(d *deviceFacts, t *engine.Task) (*plan, error) {
	parts, temps := engine.SplitRow(t)
	out := &plan{}
	for _, o := range temps {
		out.scratch = append(out.scratch, max(o.Bytes(), 1))
	}
	own := len(t.Ins) + len(t.Outs)
	shared := len(out.scratch) // scratch of the parts comes after, and may be used by all
	for _, part := range parts {
		if !slices.ContainsFunc(part.Task.Outs, func(o engine.Operand) bool { return o.Len > 0 }) {
			continue
		}
		kind := mapVariants
		if part.Task.Kind == engine.Reduce {
			kind = reduceVariants
		}
		way := kind(d, collapse(part.Task))[0]
		p, err := way.plan()
		if err != nil {
			return nil, err
		}
		operands := slices.Concat(part.Ins, part.Outs)
		for i, n := range p.scratch {
			if at := shared + i; at == len(out.scratch) {
				out.scratch = append(out.scratch, n)
			} else {
				out.scratch[at] = max(out.scratch[at], n)
			}
		}
		for _, l := range p.launches {
			prog := *l.prog
			prog.args = slices.Clone(prog.args)
			for i, a := range prog.args {
				switch a.kind {
				case argBuffer, argOffset:
					if a.index = operands[a.index]; a.index >= own {
						a.index -= own
						a.kind = map[argKind]argKind{argBuffer: argScratch, argOffset: argStart}[a.kind]
					}
				case argScratch:
					a.index += shared
				}
				prog.args[i] = a
			}
			l.prog = &prog
			out.launches = append(out.launches, l)
		}
		out.params += " " + part.Task.Kind.String() + "=" + way.name
	}
	out.params = strings.TrimSpace(out.params)
	return out, nil
}

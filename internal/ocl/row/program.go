package row

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/kernels"
)

// program writes everything but the kernel, for rows taken in that way.
func (p *rowPlan) program(g *codegen.Builder, way schedule) {
	w := &rowWriter{rowPlan: p, g: g, way: way, k: &rowKnown{way: way}, inVectors: p.defineStages(g, way)}
	g.Macro("COLUMNS", map[bool]string{false: "WIDE", true: "WIDE_SHORT"}[way == byBands])
	if !way.grouped() {
		w.fetch = p.ahead(g, way)
		g.Macro("BAND", map[schedule]int{byBlocks: 1, byBands: bandRows}[way])
	}
	for i, e := range p.stages {
		if p.inPlace {
			w.k.stageIn(i, codegen.RegType(e.DType), p.over[0])
		} else {
			w.k.stage(i, codegen.RegType(e.DType))
		}
	}
	for i, f := range p.task.Folds {
		w.hoist(p.passes[i].hoists)
		w.fold(i, f)
	}
	w.hoist(p.passes[len(p.task.Folds)].hoists)
	w.results()
}

// defineStages writes the functions of what is hoisted and staged. It reports whether all stages have a form for vectors.
func (p *rowPlan) defineStages(g *codegen.Builder, way schedule) (inVectors bool) {
	for i, e := range p.hoists {
		p.define(g, fmt.Sprint("HOIST", i), e, false)
	}
	inVectors = !way.grouped()
	if inVectors && len(p.stages) > 0 {
		g.Macro("STAGE_SPACE", strings.TrimSpace(way.space()))
	}
	for i, e := range p.stages {
		p.define(g, fmt.Sprint("STAGED", i), e, true)
		inVectors = inVectors && e.DType.Size() == 4 && p.defineVector(g, fmt.Sprint("STAGEDS", i), e, e.DType, way)
	}
	return inVectors
}

// rowWriter writes the passes over a row one after the other.
type rowWriter struct {
	*rowPlan
	g         *codegen.Builder
	way       schedule
	k         *rowKnown
	inVectors bool   // stages have a form for vectors
	fetch     string // prefetches the next row
	hoisted   int    // hoists written so far
	staged    int    // stages written so far
}

// hoist makes hoists up to the given one known.
func (w *rowWriter) hoist(to int) {
	for ; w.hoisted < to; w.hoisted++ {
		w.k.hoist(w.hoisted, codegen.RegType(w.hoists[w.hoisted].DType))
	}
}

// aheadOf is the text that prefetches in a pass: the first after which the row is in a cache.
func (w *rowWriter) aheadOf(pass int) string {
	if pass == min(len(w.task.Folds), 1) {
		return w.fetch
	}
	return ""
}

// serial is how many values a state takes.
func (w *rowWriter) serial() int64 {
	n := w.cols
	if w.way == byKeeping {
		n = kernels.MostKept
	}
	if !w.way.grouped() {
		n /= rowVec
	}
	return n
}

// fold writes fold i, and the stages that are made in its pass.
func (w *rowWriter) fold(i int, f engine.Fold) {
	g, k, way, stages := w.g, w.k, w.way, w.passes[i].stages
	w.define(g, fmt.Sprint("LOAD", i), f.Value, true)
	plain := w.defineVector(g, fmt.Sprint("LOADS", i), f.Value, codegen.FoldType(f), way)
	head := k.head(i, f)
	fmt.Fprintf(&g.Hooks, "%s;\n", head)
	g.Section(func() {
		fmt.Fprintf(&g.Hooks, "#define FOLD_FUNCTION %s\n", head)
		codegen.WriteMonoid(&g.Hooks, f, codegen.FoldType(f), w.serial())
		if !way.grouped() {
			part, call := k.part(i, f)
			fmt.Fprintf(&g.Hooks, "%s;\n#define PART_FUNCTION %s\n#define PART %s\n", part, part, call)
			fmt.Fprintf(&g.Hooks, "#define AHEAD %s\n#define PLAIN %d\n#define LOADS(c) LOADS%d(c)\n", w.aheadOf(i), codegen.OneIf(plain), i)
			fmt.Fprintf(&g.Hooks, "#define PREPARE_ALL(n) %s\n", w.prepareAll(way, w.staged, stages, w.inVectors))
			writeVectors(&g.Hooks, f)
		}
		if way == byBands {
			fmt.Fprintf(&g.Hooks, "#define KNOWN(j) %s\n", k.declared())
		}
		fmt.Fprintf(&g.Hooks, "#define PREPARE(n, IN) %s\n", w.prepare(way, w.staged, stages))
		fmt.Fprintf(&g.Hooks, "#define LOAD(c) LOAD%d(c)\n", i)
	}, "reduce/any_monoid.cl", way.foldFile())
	w.staged = stages
	k.fold(i, f)
}

// results writes the last pass, over the outputs, and the lists of what comes before it.
func (w *rowWriter) results() {
	g, k, way := w.g, w.k, w.way
	each, results, plain := w.outputs(g, way)
	line := func(name string, parts []string) {
		fmt.Fprintf(&g.Hooks, "#define %s %s\n", name, strings.Join(parts, " \\\n    "))
	}
	switch way {
	case byGroups, byKeeping:
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
	line("PREPARE(n, IN)", []string{w.prepare(way, w.staged, len(w.stages))})
	line("EACH_OVER(DO)", each)
	if !way.grouped() {
		line("AHEAD", []string{w.aheadOf(len(w.task.Folds))})
		line("PREPARE_ALL(n)", []string{w.prepareAll(way, w.staged, len(w.stages), w.inVectors)})
	}
	line("ROW_RESULTS(r)", results)
	fmt.Fprintf(&g.Hooks, "#define HAS_OVER %d\n#define PLAIN %d\n\n", min(len(w.over), 1), codegen.OneIf(plain))
}

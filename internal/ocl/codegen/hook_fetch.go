package codegen

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// FetchHook defines the macro name(row), which prefetches the first cache lines that loads read of
// a row of the given number of elements, wherever that is.
func (g *Builder) FetchHook(name string, row Coord, last int, loads []*engine.Expr, elements int) {
	const lines = 16 // more than that a processor asks for by itself
	f := &fn{g: g, seen: map[string]string{}, coords: []Coord{row, {Name: "c", Axes: []int{last}}}}
	for _, l := range loads {
		operand, o, _ := g.Operand(l.Input)
		each := 64 / o.DType.Size()
		at := f.index(l.Addr, false, "")
		for k := 0; k < min(elements, lines*each); k += each {
			fmt.Fprintf(&f.body, "    FETCH_LINE(%s + %s + %d);\n", operand, at, k)
		}
	}
	fmt.Fprintf(&g.Hooks, "static inline void fetch_at_hook(const IDX %s FN_PARAMS) {\n    const IDX c = 0;\n%s}\n", row.Name, f.body.String())
	fmt.Fprintf(&g.Hooks, "#define %s(%s) fetch_at_hook(%s FN_ARGS)\n\n", name, row.Name, row.Name)
}

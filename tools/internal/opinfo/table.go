package opinfo

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/ops"
)

// Table is every row, by name.
func Table() []*Row {
	var all []*Row
	for _, part := range parts {
		all = append(all, part()...)
	}
	slices.SortStableFunc(all, func(a, b *Row) int { return strings.Compare(a.Torch, b.Torch) })
	return all
}

// parts are the families of the table.
var parts = []func() []*Row{elementwise}

var byName = sync.OnceValue(func() map[string]*Row {
	all := map[string]*Row{}
	for _, r := range Table() {
		all[r.Torch] = r
	}
	return all
})

// oneCall reports whether text calls one function of package ops. [ops.KeepDims] around a reduction is a form of that.
func oneCall(text string) bool {
	e, err := parser.ParseExpr(strings.TrimSpace(text[strings.LastIndex(text, "=")+1:]))
	if err != nil {
		return false
	}
	calls := 0
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "KeepDims" {
			calls++
		}
		return true
	})
	return calls == 1
}

// one is a row for a function of one operand.
func one(torch, name string, f func(x *ops.Node) *ops.Node) *Row {
	return &Row{Torch: torch, Signature: "input", Go: "ops." + name + "(x)", Build: func(c *Call) []*ops.Node {
		return list(f(c.x("input")))
	}}
}

func list(n ...*ops.Node) []*ops.Node { return n }

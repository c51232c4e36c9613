package opinfo

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"sync"

	_ "github.com/anycl/anycl/ops/all" // rows call ops by name
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

var byName = sync.OnceValue(func() map[string]*Row {
	all := map[string]*Row{}
	for _, r := range Table() {
		all[r.Torch] = r
	}
	return all
})

// oneCall reports whether text calls one function of package ops. [ops.KeepDims] around a reduction is a form of that.
func oneCall(text string) bool {
	if at := strings.Index(text, " := "); at >= 0 {
		text = text[at+4:]
	}
	e, err := parser.ParseExpr(strings.ReplaceAll(text, "{...}", "{}"))
	if err != nil {
		return false
	}
	if _, ok := e.(*ast.Ident); ok {
		return true // the operand itself
	}
	calls := 0
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name == "KeepDims" {
			return true
		}
		if of, ok := f.X.(*ast.Ident); ok && slices.Contains([]string{"ops", "g", "fft", "linalg", "special"}, of.Name) {
			calls++
		}
		return true
	})
	return calls == 1
}

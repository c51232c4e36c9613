package nn

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/anycl/anycl/ops"
)

// row is a module that a pass has applied.
type row struct {
	module any
	shape  []int
}

// did notes that the module m, a pointer, has made y.
func (p *Pass) did(m any, y *ops.Node) *ops.Node {
	if y != nil {
		p.rows = append(p.rows, row{m, y.Shape()})
	}
	return y
}

// Summary writes a table of the layers that the pass has applied so far, in that order, with the shapes of their results and how
// many parameters they have, and below how many there are in all. Errors: those of w.
func (p *Pass) Summary(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "layer\tkind\toutput\tparameters")
	seen := map[any]bool{}
	for _, r := range p.rows {
		path, known := p.model.paths[r.module]
		if !known {
			path = "-"
		}
		count := "0"
		if n := p.model.sizeOf(r.module); n > 0 {
			count = fmt.Sprint(n)
			if seen[r.module] {
				count = "again"
			}
		}
		seen[r.module] = true
		kind := reflect.TypeOf(r.module)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", path, kind.Name(), shapeText(r.shape), count)
	}
	buffers := 0
	for _, b := range p.model.Buffers() {
		buffers += b.Size()
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d parameters in %d variables, %d numbers in buffers\n", p.model.Size(), len(p.model.Params()), buffers)
	return err
}

// sizeOf is the number of elements of all parameters whose names begin with the path of the module.
func (m *Model) sizeOf(module any) int {
	path, ok := m.paths[module]
	if !ok {
		return 0
	}
	n := 0
	for _, e := range m.entries {
		if !e.buffer && (path == "" || strings.HasPrefix(e.name, path+".")) {
			n += e.node.Size()
		}
	}
	return n
}

func shapeText(shape []int) string {
	names := make([]string, len(shape))
	for i, d := range shape {
		names[i] = ops.DimName(d)
	}
	return "[" + strings.Join(names, " ") + "]"
}

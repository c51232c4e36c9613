package ops

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Dynamic is an extent of an input that is known only when a graph runs:
//
//	x := g.Input("x", tensor.Float32, ops.Dynamic, 784)
//
// Every Dynamic is another one; extents that are the same have a name, see [Dim]. A graph that has such an input has open
// sizes: it is checked while it is built, as every graph, and compiled for each combination of sizes with which it runs; see
// [Graph.Compile].
const Dynamic = -1

// Dim is an extent that is known only when a graph runs, by name: wherever the name stands, the extent is the same.
//
//	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 784)
//	labels := g.Input("labels", tensor.Int32, ops.Dim("batch"))
//
// It is no number to calculate with: it, and extents from [Node.Dim] and [Node.Shape] of nodes whose sizes are open, can be
// handed on as an extent, to [Reshape], [BroadcastTo], [Graph.Full] and so on; [Graph.Extent] makes others from it.
func Dim(name string) int { return DimUpTo(name, 0) }

// DimUpTo is [Dim] with a bound: a run with a larger size is refused, and checks while the graph is built assume
// no larger one, as where rows of a table of a given number of positions are read. 0 means no bound.
func DimUpTo(name string, most int) int {
	return dims.handle(dim{name: name, most: max(most, 0)})
}

// dim is the open extent that a handle stands for.
type dim struct {
	name string
	most int // 0: no bound
}

// dims are all open extents of the process. A handle is an int, so that it stands in shapes and attributes as an extent
// does. Handles are far from each other and from all sizes, so that a number calculated with one is none.
var dims = dimTable{index: map[dim]int{}}

type dimTable struct {
	mu    sync.RWMutex
	all   []dim
	index map[dim]int
}

const (
	firstDim = -1<<30 - 123_457 // the least number of a dtype is not twice a handle
	dimStep  = 1009
)

// isOpen reports whether d is the handle of an open extent, or a number calculated with one.
func isOpen(d int) bool { return d <= firstDim/2 }

func (t *dimTable) handle(d dim) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, ok := t.index[d]
	if !ok {
		i = len(t.all)
		t.all, t.index[d] = append(t.all, d), i
	}
	return firstDim - i*dimStep
}

// of is the open extent that handle h stands for, if there is one.
func (t *dimTable) of(h int) (dim, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := firstDim - h
	if i < 0 || i%dimStep != 0 || i/dimStep >= len(t.all) {
		return dim{}, false
	}
	return t.all[i/dimStep], true
}

// reaches reports whether d is a handle, or was calculated with one: it is close to a handle, to a small multiple of one, or to a half.
func (t *dimTable) reaches(d int) bool {
	const multiples, away = 64, 64
	if d > firstDim/2+away || d < 2*multiples*firstDim { // most numbers
		return false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	near := func(d, k int) bool {
		i := (firstDim - d/k + dimStep/2) / dimStep
		return i >= 0 && i < len(t.all) && max(d-k*(firstDim-i*dimStep), k*(firstDim-i*dimStep)-d) <= away
	}
	for k := 1; k <= multiples; k++ {
		if near(d, k) {
			return true
		}
	}
	return near(2*d, 1)
}

// DimName is how d, an extent of a node, is written: a number, or the name of an open extent.
func DimName(d int) string {
	switch of, ok := dims.of(d); {
	case ok:
		return of.name
	case d == Dynamic:
		return "dynamic"
	case isOpen(d):
		return "(calculated with an open extent)"
	}
	return strconv.Itoa(d)
}

// shapeText is a shape as people read it.
func shapeText(shape []int) string {
	if !slices.ContainsFunc(shape, isOpen) {
		return fmt.Sprint(shape)
	}
	names := make([]string, len(shape))
	for i, d := range shape {
		names[i] = DimName(d)
	}
	return "[" + strings.Join(names, " ") + "]"
}

var integers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-?\b\d+\b`) })

// named is err with the names of extents in place of the numbers that stand for them.
func named(err error, name func(d int) (string, bool)) error {
	was := err.Error()
	text := integers().ReplaceAllStringFunc(was, func(digits string) string {
		if d, bad := strconv.Atoi(digits); bad == nil {
			if s, ok := name(d); ok {
				return s
			}
		}
		return digits
	})
	if text == was {
		return err
	}
	return &namedError{text, err}
}

// namedError is an error in other words.
type namedError struct {
	text string
	err  error
}

func (e *namedError) Error() string { return e.text }

func (e *namedError) Unwrap() error { return e.err }

// Shape returns the extents of x as numbers of the graph, int64 [rank]:
//
//	y[i] = extent of axis i of x
//
// It is a constant for every combination of sizes with which a graph runs, also where these are open (see [Dim]). Where an extent is
// wanted, as by [Reshape], [Slice] and [Graph.Full], give the result of [Node.Dim] instead. x has any dtype; its values are not read.
// There is no derivative.
// Source: ONNX, operator Shape.
func Shape(x *Node) *Node { return apply("shape", nil, x) }

var _ = define(Op{
	Name: "shape", Category: "layout", Operands: operandX, DTypes: every, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) { return []int{len(c.shape(0))}, tensor.Int64, nil },
	Compose: func(c *Call) *Node {
		s := c.shape(0)
		all := make([]int64, len(s))
		for i, d := range s {
			all[i] = int64(d)
		}
		return constOf(c.In[0].graph, tensor.Int64, all, len(all))
	},
})

// Size returns the number of elements of x, or the product of its extents along axes, as a number of the graph: an int64 scalar, as
// [Shape] gives them. Cast it to calculate with values of another dtype, as with the size of an open batch. Errors: an axis does not
// exist or is named twice.
// Source: ONNX, operator Size; PyTorch, Tensor.size.
func Size(x *Node, axes ...int) *Node { return apply("size", sizeAttr{axes}, x) }

type sizeAttr struct {
	Axes []int `default:"" doc:"whose extents are multiplied, counted from the end where negative; none: all"`
}

var _ = define(Op{
	Name: "size", Category: "layout", Attributes: AttributesOf[sizeAttr](), Operands: operandX, DTypes: every, Flat: true,
	Complete: func(c *Call) error {
		axes, err := shapes.Axes(c.Attr.(sizeAttr).Axes, len(c.shape(0)))
		c.Attr = sizeAttr{axes}
		return err
	},
	Result: func(*Call) ([]int, tensor.DType, error) { return nil, tensor.Int64, nil },
	Compose: func(c *Call) *Node {
		a, s := c.Attr.(sizeAttr), c.shape(0)
		n := 1
		for _, axis := range a.Axes {
			n *= s[axis]
		}
		return c.In[0].graph.int(int64(n))
	},
})

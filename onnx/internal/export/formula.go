package export

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/onnx/internal/formula"
	"github.com/anycl/anycl/tensor"
)

// Element-wise ops without a rule are written from their own definition: the OpenCL C expression that kernels compute them by, and the
// functions that it calls in the library of special functions. Values known while a graph is written are computed then, so that loops that
// count to a number become as many nodes; the rest becomes operators. Elements take both sides of a branch, and Where chooses.

// elementwise writes c, whose op is a function of elements. Its results are nil and c.reason is set where there is no operator for a part.
func elementwise(c *call) (names []string) {
	s := c.n.Op().Scalar
	in := make([]tensor.DType, len(c.in))
	for i, n := range c.in {
		in[i] = n.DType()
	}
	text := s.OpenCL
	if s.OpenCLFor != nil {
		if t := s.OpenCLFor(c.n.DType(), in); t != "" {
			text = t
		}
	}
	expr, err := formula.ParseExpr(text)
	if err != nil {
		return c.refused("its OpenCL C cannot be read: %v", err)
	}
	w := &writer{c: c, shape: c.n.Shape(), made: map[made]string{}}
	w.real, w.types = tensor.Float32, map[string]tensor.DType{"$T": register(c.n.DType())}
	if slices.Contains(append(in, c.n.DType()), tensor.Float64) {
		w.real = tensor.Float64
	}
	if len(in) > 0 {
		w.types["$A"] = register(in[0])
	}
	w.scope = &scope{cells: map[string]*cell{}}
	for i, n := range c.in {
		v := c.x.node(n)
		if short(n.DType()) {
			v = c.cast(v, tensor.Float32)
		}
		v = c.expand(v, n.Shape(), w.shape)
		w.scope.cells[string(rune('a'+i))] = &cell{dt: c.x.types[v], val: symbol(v, c.x.types[v])}
	}
	for _, file := range kernels.Special(text) {
		l, err := library(file, w.real == tensor.Float64)
		if err != nil {
			return c.refused("its OpenCL C cannot be read: %v", err)
		}
		w.libraries = append(w.libraries, l)
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unwritten:
			names = c.refused("its OpenCL C needs %s", string(r))
		default:
			panic(r)
		}
	}()
	body := c.x.body
	defer func() { c.x.body = body }()
	y := w.cast(w.eval(expr), register(c.n.DType()))
	v := c.cast(w.name(y), c.n.DType())
	if y.known {
		v = c.expand(v, nil, w.shape)
	}
	return []string{v}
}

// register is the type in which OpenCL C computes with elements of dt.
func register(dt tensor.DType) tensor.DType {
	if short(dt) {
		return tensor.Float32
	}
	return dt
}

// unwritten is a part of a function that no operator does; it is thrown and caught here.
type unwritten string

var libraries sync.Map

// library is a file of special functions, for float or double.
func library(file string, double bool) (*formula.Library, error) {
	key := fmt.Sprint(file, double)
	if l, ok := libraries.Load(key); ok {
		return l.(*formula.Library), nil
	}
	l, err := formula.Parse(kernels.Text(strings.TrimSuffix(file, " for double")), map[string]bool{"DOUBLE": double})
	if err == nil {
		libraries.Store(key, l)
	}
	return l, err
}

// writer writes the operators of one function.
type writer struct {
	c         *call
	shape     []int // of the result, and of all values that are not known
	real      tensor.DType
	types     map[string]tensor.DType
	libraries []*formula.Library
	scope     *scope
	// path are the conditions under which elements come here, of the branches that are open.
	path    []condition
	entry   int // where the function that is being called began in path
	returns []returned
	depth   int
	made    map[made]string
}

// condition is one of a path. A soft one is of elements that have left the function: the values of their variables do not matter.
type condition struct {
	value scalar
	soft  bool
}

// returned is the value that elements return under a condition.
type returned struct{ when, value scalar }

// scope are variables by their names.
type scope struct {
	cells map[string]*cell
	outer *scope
}

func (s *scope) find(name string) *cell {
	for ; s != nil; s = s.outer {
		if c := s.cells[name]; c != nil {
			return c
		}
	}
	return nil
}

// cell is a variable.
type cell struct {
	dt    tensor.DType
	val   scalar
	level int // how long the path was where it was declared
	depth int // how many calls of functions were open
	table []formula.Expr
}

// scalar is the value of an expression for an element: a number that is known, or the name of a value of the graph.
type scalar struct {
	dt    tensor.DType // invalid: nothing has been assigned
	known bool
	f     float64 // of a float that is known
	i     int64   // of an integer or bool that is
	v     string
}

func symbol(v string, dt tensor.DType) scalar  { return scalar{dt: dt, v: v} }
func number(f float64, dt tensor.DType) scalar { return scalar{dt: dt, known: true, f: f} }
func whole(i int64, dt tensor.DType) scalar    { return scalar{dt: dt, known: true, i: i} }
func (s scalar) is(i int64) bool               { return s.known && !s.dt.IsFloat() && s.i == i }
func (s scalar) equals(f float64) bool         { return s.known && s.dt.IsFloat() && s.f == f }

// op adds a node, or is one of the same operator and inputs that is there.
func (w *writer) op(op string, in ...string) string {
	key := op + " " + strings.Join(in, " ")
	for b := w.c.x.body; b != nil; b = b.outer {
		if v := w.made[made{b, key}]; v != "" {
			return v
		}
	}
	v := w.c.op(op, in)
	w.made[made{w.c.x.body, key}] = v
	return v
}

// made is a node in a body, by its operator and inputs.
type made struct {
	in  *body
	key string
}

func truth(b bool) scalar {
	if b {
		return whole(1, tensor.Bool)
	}
	return whole(0, tensor.Bool)
}

// name is the value of s in the graph.
func (w *writer) name(s scalar) string {
	switch {
	case !s.dt.Valid():
		panic(unwritten("a variable that nothing was assigned to"))
	case !s.known:
		return s.v
	case s.dt.IsFloat():
		return w.c.number(s.f, s.dt)
	}
	return w.c.number(float64(s.i), s.dt)
}

// full is the value of s, in the shape of the result.
func (w *writer) full(s scalar) string {
	if s.known {
		return w.c.expand(w.name(s), nil, w.shape)
	}
	return s.v
}

// typeOf is the type of a name.
func (w *writer) typeOf(name string) tensor.DType {
	if dt, ok := w.types[name]; ok {
		return dt
	}
	switch name {
	case "REAL":
		return w.real
	case "float":
		if w.real == tensor.Float64 && len(w.libraries) == 0 { // expressions are written for float, and stand for double
			return w.real
		}
		return tensor.Float32
	case "double":
		return tensor.Float64
	case "bool":
		return tensor.Bool
	case "char":
		return tensor.Int8
	case "uchar":
		return tensor.Uint8
	case "short":
		return tensor.Int16
	case "ushort":
		return tensor.Uint16
	case "int":
		return tensor.Int32
	case "uint":
		return tensor.Uint32
	case "long":
		return tensor.Int64
	case "ulong":
		return tensor.Uint64
	}
	panic(unwritten("the type " + name))
}

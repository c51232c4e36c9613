package ops

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Op is the definition of an operation: its operands, attributes and results, the code that computes it, and its gradient.
// `anycl ops` prints the table of ops, and the conformance suite walks it; package optest has the samples and the error bound
// of each op. Other packages add ops to the table by [Define].
//
// Exactly one of Scalar, Compose, ComposeAll, View, Kernel and Algorithm computes the op, and Complex where operands are complex.
type Op struct {
	// Name is how [Apply], errors and reports call the op. Names without a dot are those of this package; others
	// are "package.op".
	Name string
	// Category is where lists of ops show it: "activation", "reduction".
	Category string
	// Operands are its inputs in order. Those that may be left out come last, and then one that may be repeated.
	Operands []Operand
	// DTypes are the element types of the op: of every operand that says nothing else, and all these are of the
	// same. Of an op without operands, of its result.
	DTypes []tensor.DType
	// Attributes are the parameters of a call beside its operands; the zero value: none.
	Attributes Attributes
	// Complete fills in attributes that depend on the operands, as axes counted from the end, and reports
	// values that make no sense. It may replace c.Attr by another value of the same type, but not change what
	// slices in it hold. nil: attributes are taken as they are, and checked by Result.
	Complete func(c *Call) error

	// Result is the rule for the shape and dtype of an op with one result. It checks shapes; dtypes are checked before.
	Result func(c *Call) (shape []int, dt tensor.DType, err error)
	// Results is that rule for an op with several, at least one, which ResultNames name.
	Results     func(c *Call) ([]Result, error)
	ResultNames []string

	// Scalar computes an element-wise op.
	Scalar *engine.Scalar
	// Compose builds the op from others; the graph sees it as one op, the compiler sees its parts.
	Compose func(c *Call) *Node
	// ComposeAll is Compose for an op with several results.
	ComposeAll func(c *Call) []*Node
	// Complex builds the op from others where operands are complex, [Real] and [Imag] of which are floats; operands of its
	// element type may then be complex64 and complex128 beside DTypes. Views and compositions for every element type need none.
	Complex func(c *Call) *Node
	// View maps the coordinates of an element of the result to those of the element of operand 0 that it is, and the
	// conditions under which there is one. Where there is none, the result has Fill.
	View func(p Primitive, at []*engine.Index, dom engine.Domain) (src []*engine.Index, conds []engine.Cond)
	// Fill is the value of elements of a view that read no element of the operand; nil: zeros.
	Fill func(p Primitive) float64
	// Kernel is OpenCL C for the op, a Go function, or both; its Results are those of the op, and need not be set.
	Kernel func(c *Call) KernelOptions
	// Algorithm names one of the algorithms of package engine, which all engines have, for operands and results that are its.
	Algorithm func(p Primitive) engine.Algorithm
	// Traits tell the compiler what it may assume.
	Traits Traits

	// Grad adds the derivative of each operand, given those of the results. nil with a composition: through
	// the composition; nil otherwise: the op is not differentiable, for the reason that NoGrad gives.
	Grad   func(b *Back)
	NoGrad string
	// Flat marks an op whose derivative is zero wherever it exists (floor,
	// comparisons): gradients end there without an error.
	Flat bool
	// Hidden marks an op that is a part of others of its package: [Apply] calls it by name, and no list of ops has it.
	Hidden bool

	algorithm   func(n *ir.Node) engine.Algorithm // computes the op from operands that are dense
	simplify    func(n *ir.Node) *ir.Node         // gives a simpler node that computes the same as n, or nil
	outside     bool                              // defined by another package
	hidden      bool                              // a part of others; of this package, not called by name either
	builtBy     string                            // the function without which no call of it can be made
	placeholder bool                              // where gradients of a part of a graph end
	role        role                              // of the few ops that others look for
	function    engine.Function                   // with Scalar
	kind        ir.Kind                           // of the few ops that are none of the above
	fold        engine.Monoid                     // with KindReduce
}

// role identifies an op that other code of this package treats specially.
type role uint8

const (
	_                 role = iota // none
	roleAdd                       // the sum of two operands
	roleMatMul                    // the product of matrices
	roleTranspose                 // operand 0 with its axes in another order
	roleReshape                   // operand 0 with other extents
	roleSum                       // the sum over axes
	roleBound                     // operand 0 where it is within bounds
	roleTrim                      // operand 0 as far as operand 1 counts
	roleComplex                   // a complex number of its two parts
	roleViewAsComplex             // complex numbers of pairs
	rolePlaceholder               // operand 0 as derivatives read it in a region
)

// is reports whether n is of an op with a role.
func (n *Node) is(r role) bool { return n.op.role == r }

// Operand is one input of an op.
type Operand struct {
	Name string
	// DTypes are those that it may have; nil: the element type of the op, as [Op] has it.
	DTypes []tensor.DType
	// Optional operands may be left out, the last first.
	Optional bool
	// Repeated marks the last operand as one or more; with Optional, as any number.
	Repeated bool
}

// Traits are properties of an op that the compiler may rely on.
type Traits ir.Traits

// The traits of ops.
const (
	// TraitIdentity: the result is operand 0, as of a view that only ends gradients.
	TraitIdentity = Traits(ir.TraitIdentity)
	// TraitRepeats: every element of the result is one of operand 0, and where all of these are equal all of the result are.
	TraitRepeats = Traits(ir.TraitRepeats)
	// TraitReadsInside: a view whose result holds elements of operand 0 where it has one, and fills in the rest.
	TraitReadsInside = Traits(ir.TraitReadsInside)
	// TraitMaterialize: the result is a buffer of its own, and no op before it is fused with one after it.
	TraitMaterialize = Traits(ir.TraitMaterialize)
	// TraitDistinct: two calls with equal operands and attributes are two computations, as of ops that draw random numbers.
	TraitDistinct = Traits(ir.TraitDistinct)
)

// Arity is the least and the most operands that a call of o has; most is -1 where there is no bound.
func (o *Op) Arity() (least, most int) {
	for _, p := range o.Operands {
		if !p.Optional {
			least++
		}
		if p.Repeated {
			return least, -1
		}
	}
	return least, len(o.Operands)
}

// Differentiable reports whether gradients flow through the op. A composition is
// differentiable where it may have an operand of floats.
func (o *Op) Differentiable() bool {
	if o.Flat || o.Grad == nil && o.Compose == nil && o.ComposeAll == nil {
		return false
	}
	return o.Grad != nil || slices.ContainsFunc(o.DTypes, hasDerivative) || slices.ContainsFunc(o.Operands, func(p Operand) bool {
		return p.DTypes != nil && hasDerivative(p.DTypes[0])
	})
}

// composed reports whether other ops compute o.
func (o *Op) composed() bool { return o.Compose != nil || o.ComposeAll != nil }

// Call is one application of an op: its operands and attributes.
type Call struct {
	Op *Op
	In []*Node
	// Attr are the attributes, a value of the type that the op's Attributes name, or nil.
	Attr any
}

// DType is the dtype of operand i.
func (c *Call) DType(i int) tensor.DType { return c.dt(i) }

// Shape is a copy of the shape of operand i.
func (c *Call) Shape(i int) []int { return slices.Clone(c.shape(i)) }

func (c *Call) dt(i int) tensor.DType { return c.In[i].dtype }

func (c *Call) shape(i int) []int { return c.In[i].shape }

// Primitive is a call of an op that has no composition, as the compiler sees it.
type Primitive struct{ n *ir.Node }

// Attr are the attributes of the call.
func (p Primitive) Attr() any { return p.n.Attr }

// Shape is the shape of the result. Do not change it.
func (p Primitive) Shape() []int { return p.n.Shape }

// DType is the dtype of the result.
func (p Primitive) DType() tensor.DType { return p.n.DType }

// In is the call that computes operand i.
func (p Primitive) In(i int) Primitive { return Primitive{p.n.In[i]} }

// table holds every op by name. Functions find their op here and not in a
// variable of its own, because a gradient rule calls such functions: variables
// would be initialised in a circle.
var (
	tableMu sync.RWMutex
	table   = make(map[string]*Op, 512)
)

// opNamed is the op of that name, or nil.
func opNamed(name string) *Op {
	tableMu.RLock()
	defer tableMu.RUnlock()
	return table[name]
}

// OpNamed is the op of that name, which users can call. Do not change it.
func OpNamed(name string) (*Op, bool) {
	o := opNamed(name)
	return o, o != nil && !o.hidden
}

// Table yields every op that users can call, by name.
func Table() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		tableMu.RLock()
		names := slices.Sorted(maps.Keys(table))
		tableMu.RUnlock()
		for _, name := range names {
			if o := opNamed(name); !o.hidden && !yield(o) {
				return
			}
		}
	}
}

// Define enters an op in the table, from where [Apply] calls it by name. It is meant for variables of packages,
//
//	var _ = ops.MustDefine(ops.Op{Name: "mylib.mish", ...})
//
// and for functions that call [Apply], which stand for the op in other programs. Errors: the name is taken or not of the form
// "package.op"; there is no rule for the result, not exactly one way to compute it, or a dtype or an operand is not valid.
func Define(o Op) (*Op, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("ops: define %q: %w", o.Name, err)
	}
	o.own()
	definedHere()
	return o.enter()
}

// MustDefine is [Define] for variables of packages; it panics where Define fails, which any test finds.
func MustDefine(o Op) *Op {
	d, err := Define(o)
	if err != nil {
		panic(err)
	}
	return d
}

// define is Define for the ops of this package. It is called as `var _ = define(...)` so
// that an op stands whole in one place.
func define(o Op) *Op {
	d, err := o.enter()
	if err != nil {
		panic(err) // found by any test at all
	}
	return d
}

// enter puts o into the table.
func (o *Op) enter() (*Op, error) {
	if o.Scalar != nil {
		o.Scalar.Name, o.Scalar.Arity = o.Name, max(len(o.Operands), o.Scalar.Arity)
		if o.function != 0 {
			o.Scalar.Function = o.function
		}
	}
	if o.Kernel != nil {
		o.kind = ir.KindCustom
	}
	if o.Algorithm != nil {
		o.kind = ir.KindRoutine
		o.algorithm = func(n *ir.Node) engine.Algorithm { return o.Algorithm(Primitive{n}) }
	}
	tableMu.Lock()
	defer tableMu.Unlock()
	if table[o.Name] != nil {
		return nil, fmt.Errorf("ops: %s is defined twice", o.Name)
	}
	table[o.Name] = o
	return o, nil
}

// lowered are the ops that have been compiled, as the passes know them: made when one is first needed, because a program
// uses few of all.
var lowered sync.Map // *Op to *ir.Op

// lower is o as the compiler passes represent it.
func (o *Op) lower() *ir.Op {
	if l, ok := lowered.Load(o); ok {
		return l.(*ir.Op)
	}
	l := &ir.Op{Name: o.Name, Kind: o.kind, Traits: ir.Traits(o.Traits), Scalar: o.Scalar, Fold: o.fold, Algorithm: o.algorithm}
	if o.View != nil {
		l.View = func(n *ir.Node, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
			return o.View(Primitive{n}, at, dom)
		}
	}
	if o.Fill != nil {
		l.Fill = func(n *ir.Node) float64 { return o.Fill(Primitive{n}) }
	}
	first, _ := lowered.LoadOrStore(o, l)
	return first.(*ir.Op)
}

// Sets of dtypes that ops take.
var (
	wideFloats = dtypes.Wide
	floats     = dtypes.Floats
	bools      = dtypes.Bools
	ints       = dtypes.Ints
	numbers    = dtypes.Numbers
	bits       = dtypes.Bits
	every      = dtypes.All
	complexes  = dtypes.Complex
)

// Operands that many ops have.
var (
	operandX    = []Operand{{Name: "x"}}
	operandsAB  = []Operand{{Name: "a"}, {Name: "b"}}
	operandsAny = []Operand{{Name: "operands", DTypes: every, Optional: true, Repeated: true}}
)

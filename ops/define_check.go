package ops

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Checks of ops that other packages define, for properties that the compiler takes for granted.

// check reports what is wrong with a definition of another package.
func (o *Op) check() error {
	if pkg, name, _ := strings.Cut(o.Name, "."); pkg == "" || name == "" || strings.ContainsFunc(o.Name, func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return errors.New(`the name is not of the form "package.op", of letters, digits, _ and -`)
	}
	ways := 0
	for _, has := range []bool{o.Scalar != nil, o.Compose != nil, o.ComposeAll != nil, o.View != nil, o.Kernel != nil, o.Algorithm != nil} {
		ways += ir.Btoi(has)
	}
	several := o.Results != nil
	switch {
	case ways != 1:
		return fmt.Errorf("it has %d of Scalar, Compose, ComposeAll, View, Kernel and Algorithm, not one", ways)
	case o.Algorithm != nil && !several:
		return errors.New("it has Algorithm and no Results")
	case several == (o.Result != nil):
		return errors.New("it needs Result or Results")
	case several && o.ComposeAll == nil && o.Kernel == nil && o.Algorithm == nil:
		return errors.New("only ComposeAll, Kernel and Algorithm give several results")
	case o.ComposeAll != nil && !several:
		return errors.New("it has ComposeAll and no Results")
	case several && len(o.ResultNames) == 0:
		return errors.New("it has no ResultNames")
	case (o.Scalar != nil || o.View != nil) && len(o.Operands) == 0:
		return errors.New("it has Scalar or View and no operands")
	case o.Scalar != nil && (o.Scalar.Host == nil || o.Scalar.OpenCL == "" && o.Scalar.OpenCLFor == nil):
		return errors.New("its Scalar has no OpenCL C, or no function for the host")
	case o.Scalar != nil && (o.Scalar.Arity != 0 && o.Scalar.Arity != len(o.Operands) ||
		slices.ContainsFunc(o.Operands, func(p Operand) bool { return p.Optional || p.Repeated })):
		return errors.New("its Scalar has another number of operands than each of its calls")
	case len(o.DTypes) == 0:
		return errors.New("it has no DTypes")
	case o.Grad != nil && (o.Flat || o.NoGrad != ""):
		return errors.New("it has a gradient, and Flat or NoGrad")
	}
	seen := map[string]bool{}
	for i, p := range o.Operands {
		switch {
		case p.Name == "" || seen[p.Name]:
			return fmt.Errorf("operand %d has no name, or that of another", i)
		case p.Repeated && i < len(o.Operands)-1:
			return fmt.Errorf("operand %s is repeated and not the last", p.Name)
		case !p.Optional && i > 0 && o.Operands[i-1].Optional:
			return fmt.Errorf("operand %s follows one that may be left out", p.Name)
		}
		seen[p.Name] = true
		for _, dt := range p.DTypes {
			if !dt.Valid() {
				return fmt.Errorf("operand %s: %v is not a dtype", p.Name, dt)
			}
		}
	}
	for _, dt := range o.DTypes {
		if !dt.Valid() {
			return fmt.Errorf("%v is not a dtype", dt)
		}
	}
	return o.Attributes.check()
}

// own copies the values that o refers to, so that nothing changes after [Define].
func (o *Op) own() {
	o.outside, o.hidden = true, o.Hidden
	o.Operands = slices.Clone(o.Operands)
	for i := range o.Operands {
		o.Operands[i].DTypes = slices.Clone(o.Operands[i].DTypes)
	}
	o.DTypes, o.ResultNames = slices.Clone(o.DTypes), slices.Clone(o.ResultNames)
	if o.Scalar != nil {
		s := *o.Scalar
		o.Scalar = &s
	}
}

// fits reports results of c that are not as the compiler expects them.
func (c *Call) fits(all []Result) error {
	o := c.Op
	switch {
	case o.Results != nil && len(all) != len(o.ResultNames):
		return fmt.Errorf("its rule gives %d results, and %d have names", len(all), len(o.ResultNames))
	case reflect.TypeOf(c.Attr) != o.Attributes.of:
		return fmt.Errorf("its Complete makes the attributes a %T, which are %s", c.Attr, o.Attributes)
	case o.Traits&TraitIdentity != 0 && (len(c.In) == 0 || all[0].DType != c.dt(0) || !slices.Equal(all[0].Shape, c.shape(0))):
		return fmt.Errorf("its trait says that the result is operand 0, and it is %v%v", all[0].DType, all[0].Shape)
	case o.Scalar != nil:
		for i := range c.In {
			if s, err := tensor.Broadcast(all[0].Shape, c.shape(i)); err != nil || !slices.Equal(s, all[0].Shape) {
				return fmt.Errorf("%s is %v, which does not stretch to the result %v", c.operand(i), c.shape(i), all[0].Shape)
			}
		}
	case o.View != nil:
		return c.viewFits(all[0])
	}
	return nil
}

// viewFits proves that a view reads nothing that operand 0 does not have.
func (c *Call) viewFits(r Result) error {
	x := c.shape(0)
	n := &ir.Node{Attr: c.Attr, Shape: r.Shape, DType: r.DType}
	for i := range c.In {
		n.In = append(n.In, &ir.Node{Shape: c.shape(i), DType: c.dt(i)})
	}
	at, dom := make([]*engine.Index, len(r.Shape)), engine.Domain(r.Shape)
	for a := range at {
		at[a] = engine.AxisIndex(a)
	}
	src, conds := c.Op.View(Primitive{n}, at, dom)
	if len(src) != len(x) {
		return fmt.Errorf("its view gives %d coordinates for the %d axes of %v", len(src), len(x), x)
	}
	known := func(i *engine.Index) bool {
		ok := i != nil
		if ok {
			i.VisitAxes(func(a int) { ok = ok && a >= 0 && a < len(at) })
		}
		return ok
	}
	if slices.ContainsFunc(src, func(i *engine.Index) bool { return !known(i) }) ||
		slices.ContainsFunc(conds, func(c engine.Cond) bool { return !known(c.X) }) {
		return fmt.Errorf("its view has a coordinate that is nil, or of an axis that %v does not have", r.Shape)
	}
	if dom.Size() == 0 {
		return nil
	}
	for a, i := range src {
		lo, hi := i.Bounds(dom) // both inclusive
		for _, cond := range conds {
			if shift, ok := i.Add(cond.X.Mul(-1)).IsConst(); ok {
				lo, hi = max(lo, cond.Lo+shift), min(hi, cond.Hi-1+shift)
			}
		}
		if lo <= hi && (lo < 0 || hi >= int64(x[a])) {
			return fmt.Errorf("its view reads positions %d to %d of axis %d of %v; a condition must keep it inside", lo, hi, a, x)
		}
	}
	return nil
}

// call is the call that made n. A definition of another package may do with it what it likes.
func (n *Node) call() *Call {
	c := &Call{Op: n.op, In: n.in, Attr: n.attr}
	if n.op.outside {
		c.In = slices.Clone(n.in)
	}
	return c
}

// tooDeep is the depth of nested compositions above which a composition is taken to contain itself.
const tooDeep = 1000

var errTooDeep = errors.New("its composition contains itself")

package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/anycl/anycl/tensor"
)

// ExprOp is the operation of an Expr.
type ExprOp uint8

// The expression operators.
const (
	OpLoad  ExprOp = iota // element Addr of input Input where every Cond holds, else 0
	OpConst               // the constant Value
	OpIndex               // the integer Addr, converted to DType
	OpValid               // bool: every Cond holds
	OpApply               // Fn(Args...)
	OpAcc                 // result number Input of the task's folds, or of its contraction
	OpRun                 // uint32: which run of the executable this is, counted from 0
)

// Expr is one node of a task's expression: a directed acyclic graph, shared
// where keys are equal. It is immutable.
type Expr struct {
	Op    ExprOp
	DType tensor.DType // of the result
	Input int          // OpLoad: which of Task.Ins; OpAcc: which of Task.Folds
	Addr  *Index       // OpLoad, OpIndex: in elements
	Conds []Cond       // OpLoad, OpValid
	Value Const        // OpConst
	Fn    *Scalar      // OpApply
	Args  []*Expr      // OpApply
	Known *Interval    // where the integer values of the expression are known to lie; nil: nothing is known
	key   string
}

// Interval is [Lo, Hi].
type Interval struct{ Lo, Hi int64 }

// Const is a constant of any dtype: Float for floats, Int for the rest (the
// bits of a uint64; 0 or 1 for bool).
type Const struct {
	Float float64
	Int   int64
}

// Load is element addr of input number input where every cond holds, and 0
// elsewhere: memory is never touched there.
func Load(input int, dt tensor.DType, addr *Index, conds []Cond) *Expr {
	return seal(&Expr{Op: OpLoad, DType: dt, Input: input, Addr: addr, Conds: conds})
}

// Constant is the constant v.
func Constant(dt tensor.DType, v Const) *Expr {
	return seal(&Expr{Op: OpConst, DType: dt, Value: v})
}

// IndexValue is the integer x as a value of dtype dt.
func IndexValue(dt tensor.DType, x *Index) *Expr {
	return seal(&Expr{Op: OpIndex, DType: dt, Addr: x})
}

// Valid is whether every cond holds.
func Valid(conds []Cond) *Expr {
	return seal(&Expr{Op: OpValid, DType: tensor.Bool, Conds: conds})
}

// Apply is fn(args...), of dtype dt.
func Apply(fn *Scalar, dt tensor.DType, args ...*Expr) *Expr {
	return seal(&Expr{Op: OpApply, DType: dt, Fn: fn, Args: args})
}

// Acc is the value that fold number i, or a contraction (0), arrived at.
func Acc(i int, dt tensor.DType) *Expr { return seal(&Expr{Op: OpAcc, DType: dt, Input: i}) }

// Run is the number of the run.
func Run() *Expr { return seal(&Expr{Op: OpRun, DType: tensor.Uint32}) }

// Within is e, an integer, whose values are known to lie in [lo, hi] wherever its conditions hold: positions that it gives
// need no test against bounds that they meet.
func (e *Expr) Within(lo, hi int64) *Expr {
	c := *e
	if len(e.Conds) > 0 { // 0 where they do not hold
		lo, hi = min(lo, 0), max(hi, 0)
	}
	c.Known = &Interval{lo, hi}
	return seal(&c)
}

// Key identifies the expression: equal keys, equal values.
func (e *Expr) Key() string { return e.key }

func seal(e *Expr) *Expr {
	var room [256]byte
	b := room[:0]
	text := func(parts ...string) {
		for _, s := range parts {
			b = append(b, s...)
		}
	}
	number := func(n int64) { b = strconv.AppendInt(b, n, 10) }
	switch e.Op {
	case OpLoad:
		text("in")
		number(int64(e.Input))
		text(":", e.DType.String(), "[", e.Addr.key, "]")
	case OpConst:
		b = fmt.Appendf(b, "%v(%x,%d)", e.DType, e.Value.Float, e.Value.Int)
	case OpIndex:
		text(e.DType.String(), "{", e.Addr.key, "}")
	case OpValid:
		text("valid")
	case OpApply:
		text(e.Fn.Name, ":", e.DType.String(), "(")
		for i, a := range e.Args {
			if i > 0 {
				text(",")
			}
			text(a.key)
		}
		text(")")
	case OpAcc:
		text("acc")
		number(int64(e.Input))
		text(":", e.DType.String())
	case OpRun:
		text("run")
	}
	for _, c := range e.Conds {
		text("?")
		b = c.appendKey(b)
	}
	if e.Known != nil {
		text("<")
		number(e.Known.Lo)
		text(",")
		number(e.Known.Hi)
		text(">")
	}
	if len(b) <= 64 {
		e.key = string(b)
	} else { // sharing would make the text of a deep expression exponential
		sum := sha256.Sum256(b)
		e.key = e.Fn.name() + "#" + hex.EncodeToString(sum[:16])
	}
	return e
}

// Walk yields every distinct subexpression of e, operands (those of gathers
// in addresses too) before their users.
func (e *Expr) Walk() iter.Seq[*Expr] {
	return func(yield func(*Expr) bool) {
		if len(e.Args) == 0 && !slices.ContainsFunc(e.Indices(), (*Index).Gathers) {
			yield(e)
			return
		}
		seen := map[string]bool{}
		var walk func(e *Expr) bool
		var index func(x *Index) bool
		index = func(x *Index) bool {
			for _, t := range x.Terms {
				switch t.Atom.Kind {
				case AtomData:
					if !walk(t.Atom.Data) {
						return false
					}
				case AtomDiv, AtomMod, AtomMin:
					if !index(t.Atom.X) {
						return false
					}
				}
			}
			return true
		}
		walk = func(e *Expr) bool {
			if seen[e.key] {
				return true
			}
			seen[e.key] = true
			for _, x := range e.Indices() {
				if !index(x) {
					return false
				}
			}
			for _, a := range e.Args {
				if !walk(a) {
					return false
				}
			}
			return yield(e)
		}
		walk(e)
	}
}

// Indices are the index expressions that e itself holds.
func (e *Expr) Indices() []*Index {
	var xs []*Index
	if e.Addr != nil {
		xs = append(xs, e.Addr)
	}
	for _, c := range e.Conds {
		xs = append(xs, c.X)
	}
	return xs
}

// VisitAxes calls f for every axis that e depends on, some more than once.
func (e *Expr) VisitAxes(f func(axis int)) {
	for s := range e.Walk() {
		for _, x := range s.Indices() {
			x.VisitAxes(f)
		}
	}
}

// Rewrite replaces every subexpression by f of it, operands (those of gathers in
// addresses too) before their users.
func (e *Expr) Rewrite(f func(e *Expr) *Expr) *Expr {
	memo := map[string]*Expr{}
	var walk func(e *Expr) *Expr
	var index func(x *Index) *Index
	index = func(x *Index) *Index {
		out := ConstIndex(x.Const)
		for _, t := range x.Terms {
			a := t.Atom
			switch a.Kind {
			case AtomData:
				out = out.Add(DataIndex(walk(a.Data)).Mul(t.Coef))
				continue
			case AtomDiv, AtomMod, AtomMin:
				a = nonlinear(a.Kind, index(a.X), a.D)
			}
			out = out.Add(newIndex(0, []Term{{t.Coef, a}}))
		}
		return out
	}
	walk = func(e *Expr) *Expr {
		if r, ok := memo[e.key]; ok {
			return r
		}
		c := *e
		if e.Addr != nil {
			c.Addr = index(e.Addr)
		}
		c.Conds = make([]Cond, len(e.Conds))
		for i, k := range e.Conds {
			c.Conds[i] = Cond{index(k.X), k.Lo, k.Hi}
		}
		c.Args = make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			c.Args[i] = walk(a)
		}
		r := f(seal(&c))
		memo[e.key] = r
		return r
	}
	return walk(e)
}

// Subst replaces the coordinate of every axis a in e by at[a], an expression
// over the axes of dom.
func (e *Expr) Subst(at []*Index, dom Domain) *Expr {
	if len(e.Args) == 0 {
		return e.substLeaf(at, dom)
	}
	memo := map[string]*Expr{}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if r, ok := memo[e.key]; ok {
			return r
		}
		c := *e
		c.Args = make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			c.Args[i] = walk(a)
		}
		r := c.substLeaf(at, dom)
		memo[e.key] = r
		return r
	}
	return walk(e)
}

// substLeaf is Subst for the fields of e itself, not for its operands.
func (e *Expr) substLeaf(at []*Index, dom Domain) *Expr {
	c := *e
	if e.Addr != nil {
		c.Addr = e.Addr.Subst(at, dom)
	}
	if len(e.Conds) > 0 {
		c.Conds = make([]Cond, len(e.Conds))
		for i, k := range e.Conds {
			c.Conds[i] = Cond{k.X.Subst(at, dom), k.Lo, k.Hi}
		}
	}
	return seal(&c)
}

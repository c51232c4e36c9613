package ops

import (
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Einsum returns sums of products of elements of xs, which an equation names by a letter for each axis:
//
//	"ij,jk->ik"     the matrix product
//	"bij,bjk->bik"  of a batch
//	"ii"            the trace; "ii->i" the diagonal
//	"i,j->ij"       all products
//	"...i,...i"     scalar products along the last axis
//
// Letters that the part behind the arrow does not have are summed over; without an arrow the result has those that are there once, in
// alphabetical order. An ellipsis stands for axes that broadcast, first in the result where there is no arrow. An extent of 1 stretches
// too. Several operands are contracted two at a time, in the order that takes the fewest multiplications for up to eight of them, and as
// [MatMul] is wherever that is possible. All have the same dtype, any number. Errors: dtypes; the equation has no sense; extents differ.
// Source: NumPy, numpy.einsum.
func Einsum(equation string, xs ...*Node) *Node { return apply("einsum", einsumAttr{equation}, xs...) }

type einsumAttr struct {
	Equation string `doc:"the letters of the axes of each operand, and of the result behind ->"`
}

var _ = define(Op{
	Name:    "einsum",
	Complex: composed, Category: "linear algebra",
	Attributes: AttributesOf[einsumAttr](),
	Operands:   []Operand{{Name: "xs", Repeated: true}}, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		e, err := parseEinsum(c)
		if err != nil {
			return nil, 0, err
		}
		shape := []int{}
		for _, l := range e.out {
			shape = append(shape, e.extent[l])
		}
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		e, err := parseEinsum(c)
		if err != nil {
			return c.In[0].graph.fail(c.Op.Name, c.In, err)
		}
		return e.compose(c.In)
	},
})

// einsum is an equation for certain shapes. Axes of ellipses are labels too, below 0 and counted from the last one.
type einsum struct {
	in     [][]int
	out    []int
	extent map[int]int
}

func parseEinsum(c *Call) (*einsum, error) {
	text := strings.ReplaceAll(c.Attr.(einsumAttr).Equation, " ", "")
	left, right, explicit := strings.Cut(text, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(c.In) {
		return nil, fmt.Errorf("the equation %q is for %d operands, not %d", text, len(terms), len(c.In))
	}
	e := &einsum{extent: map[int]int{}}
	count, widest := map[int]int{}, 0
	for i, term := range terms {
		labels, ellipsis, err := einsumLabels(term, len(c.shape(i)), true)
		if err != nil {
			return nil, fmt.Errorf("the equation %q: %s: %w", text, c.operand(i), err)
		}
		e.in, widest = append(e.in, labels), max(widest, ellipsis)
		for a, l := range labels {
			n := c.shape(i)[a]
			if have, ok := e.extent[l]; ok && have != n && have != 1 && n != 1 {
				return nil, fmt.Errorf("the equation %q: %s has %d elements along %s, and others %d", text, c.operand(i), n, labelName(l), have)
			} else if !ok || have == 1 {
				e.extent[l] = n
			}
			count[l]++
		}
		for a, l := range labels { // a diagonal has no stretched axes
			if first := slices.Index(labels, l); c.shape(i)[first] != c.shape(i)[a] {
				return nil, fmt.Errorf("the equation %q: %s is %v, with two extents for %s", text, c.operand(i), c.shape(i), labelName(l))
			}
		}
	}
	if !explicit {
		for l := -widest; l < 0; l++ {
			e.out = append(e.out, l)
		}
		for l := range 128 {
			if count[l] == 1 {
				e.out = append(e.out, l)
			}
		}
		return e, nil
	}
	rank := widest + len(strings.ReplaceAll(right, "...", ""))
	if !strings.Contains(right, "...") {
		rank -= widest
	}
	var err error
	if e.out, _, err = einsumLabels(right, rank, false); err != nil {
		return nil, fmt.Errorf("the equation %q: the result: %w", text, err)
	}
	for _, l := range e.out {
		if _, ok := e.extent[l]; !ok {
			return nil, fmt.Errorf("the equation %q: no operand has %s", text, labelName(l))
		}
	}
	return e, nil
}

// einsumLabels returns the labels of one operand, or of the result, and the number of axes that an ellipsis stands for.
func einsumLabels(term string, rank int, repeated bool) (labels []int, ellipsis int, err error) {
	before, after, has := strings.Cut(term, "...")
	letters := before + after
	if ellipsis = rank - len(letters); ellipsis < 0 || !has && ellipsis > 0 {
		return nil, 0, fmt.Errorf("%q is not for %d axes", term, rank)
	}
	for i := range len(letters) {
		if i == len(before) {
			for k := range ellipsis {
				labels = append(labels, k-ellipsis)
			}
		}
		l := letters[i]
		if !('a' <= l && l <= 'z' || 'A' <= l && l <= 'Z') {
			return nil, 0, fmt.Errorf("%q is not a letter", letters[i:i+1])
		}
		if !repeated && slices.Contains(labels, int(l)) {
			return nil, 0, fmt.Errorf("it has %c twice", l)
		}
		labels = append(labels, int(l))
	}
	if has && len(before) == len(letters) {
		for k := range ellipsis {
			labels = append(labels, k-ellipsis)
		}
	}
	return labels, ellipsis, nil
}

func labelName(l int) string {
	if l < 0 {
		return "an axis of the ellipsis"
	}
	return fmt.Sprintf("%q", rune(l))
}

// einsumTerm is an operand, or a product of some, with a label for each axis.
type einsumTerm struct {
	x      *Node
	labels []int
}

// compose builds the contraction.
func (e *einsum) compose(xs []*Node) *Node {
	terms := make([]einsumTerm, len(xs))
	for i, x := range xs {
		terms[i] = e.single(x, e.in[i])
	}
	order := e.order(terms)
	for _, pair := range order {
		i, j := pair[0], pair[1]
		needed := e.needed(terms, i, j)
		terms[i] = joinTerms(terms[i], terms[j], needed)
		terms[j] = einsumTerm{}
	}
	last := terms[0]
	if len(order) > 0 {
		last = terms[order[len(order)-1][0]]
	}
	last = summed(last, e.out)
	var perm, shape, full []int
	for _, l := range e.out {
		k := slices.Index(last.labels, l)
		if k >= 0 {
			perm = append(perm, k)
			shape = append(shape, e.extent[l])
		} else {
			shape = append(shape, 1)
		}
		full = append(full, e.extent[l])
	}
	return BroadcastTo(Reshape(reordered(last.x, perm), shape...), full...)
}

// single is an operand without repeated labels, and without axes that stretch.
func (e *einsum) single(x *Node, labels []int) einsumTerm {
	labels = slices.Clone(labels)
	for second := len(labels) - 1; second > 0; second-- {
		if first := slices.Index(labels, labels[second]); first < second {
			x = apply("equal_axes", equalAxesAttr{first, second}, x)
			labels = slices.Delete(labels, second, second+1)
		}
	}
	var shape, keep []int
	for a, l := range labels {
		if x.shape[a] == e.extent[l] {
			shape, keep = append(shape, x.shape[a]), append(keep, l)
		}
	}
	return einsumTerm{Reshape(x, shape...), keep}
}

// needed are the labels that the result or a term beside i and j has.
func (e *einsum) needed(terms []einsumTerm, i, j int) []int {
	needed := slices.Clone(e.out)
	for k, t := range terms {
		if k != i && k != j && t.x != nil {
			needed = append(needed, t.labels...)
		}
	}
	return needed
}

// summed sums t over the labels that are not needed.
func summed(t einsumTerm, needed []int) einsumTerm {
	var axes, labels []int
	for a, l := range t.labels {
		if slices.Contains(needed, l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, a)
		}
	}
	if len(axes) > 0 {
		t = einsumTerm{Sum(t.x, axes...), labels}
	}
	return t
}

// joinTerms contracts two terms.
func joinTerms(a, b einsumTerm, needed []int) einsumTerm {
	a, b = summed(a, slices.Concat(needed, b.labels)), summed(b, slices.Concat(needed, a.labels))
	var ab, bb, ak, bk, labels []int
	for i, l := range a.labels {
		j := slices.Index(b.labels, l)
		switch {
		case j < 0:
		case slices.Contains(needed, l):
			ab, bb, labels = append(ab, i), append(bb, j), append(labels, l)
		default:
			ak, bk = append(ak, i), append(bk, j)
		}
	}
	for _, i := range shapes.Except(len(a.labels), slices.Concat(ab, ak)) {
		labels = append(labels, a.labels[i])
	}
	for _, j := range shapes.Except(len(b.labels), slices.Concat(bb, bk)) {
		labels = append(labels, b.labels[j])
	}
	return einsumTerm{contractedIn(a.x, b.x, ab, bb, ak, bk), labels}
}

// fewTerms is how many operands every order is tried for.
const fewTerms = 8

// order are the pairs of terms to contract, the second into the first.
func (e *einsum) order(terms []einsumTerm) [][2]int {
	n := len(terms)
	var order [][2]int
	if n > fewTerms { // one after the other
		for j := 1; j < n; j++ {
			order = append(order, [2]int{0, j})
		}
		return order
	}
	// The least cost of each set of terms, as bits.
	cost, split := make([]float64, 1<<n), make([]int, 1<<n)
	has := func(set int) map[int]bool {
		m := map[int]bool{}
		for i := range n {
			if set>>i&1 != 0 {
				for _, l := range terms[i].labels {
					m[l] = true
				}
			}
		}
		return m
	}
	all := 1<<n - 1
	kept := make([]map[int]bool, 1<<n) // labels of the product of a set
	for set := 1; set <= all; set++ {
		rest := has(all &^ set)
		kept[set] = map[int]bool{}
		for l := range has(set) {
			if rest[l] || slices.Contains(e.out, l) {
				kept[set][l] = true
			}
		}
		if mathbits.OnesCount(uint(set)) < 2 {
			continue
		}
		cost[set] = math.Inf(1)
		for part := (set - 1) & set; part > set&^part; part = (part - 1) & set {
			v := cost[part] + cost[set&^part]
			size := 1.0
			for l := range kept[part] {
				size *= float64(e.extent[l])
			}
			for l := range kept[set&^part] {
				if !kept[part][l] {
					size *= float64(e.extent[l])
				}
			}
			if v += size; v < cost[set] {
				cost[set], split[set] = v, part
			}
		}
	}
	var visit func(set int) int
	visit = func(set int) int {
		if mathbits.OnesCount(uint(set)) == 1 {
			return mathbits.TrailingZeros(uint(set))
		}
		// The operand that comes first stays on the left.
		p, q := split[set], set&^split[set]
		if mathbits.TrailingZeros(uint(q)) < mathbits.TrailingZeros(uint(p)) {
			p, q = q, p
		}
		i, j := visit(p), visit(q)
		order = append(order, [2]int{i, j})
		return i
	}
	visit(all)
	return order
}

// Bilinear returns a bilinear form of vectors for each output:
//
//	y[p, o] = Σ_ij a[p, i] · weight[o, i, j] · b[p, j] + bias[o]
//
// a is [..., I], b [..., J], weight [O, I, J] and bias, which may be nil, [O]; the axes before the last of a and b are equal. All have the
// same dtype, any number. Errors: dtypes; shapes.
func Bilinear(a, b, weight, bias *Node) *Node {
	if bias == nil {
		return apply("bilinear", nil, a, b, weight)
	}
	return apply("bilinear", nil, a, b, weight, bias)
}

var _ = define(Op{
	Name:    "bilinear",
	Complex: composed, Category: "linear algebra",
	Operands: []Operand{{Name: "a"}, {Name: "b"}, {Name: "weight"}, {Name: "bias", Optional: true}}, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, b, w := c.shape(0), c.shape(1), c.shape(2)
		if len(w) != 3 || len(a) == 0 || len(a) != len(b) {
			return nil, 0, fmt.Errorf("a is %v, b %v and weight %v", a, b, w)
		}
		last := len(a) - 1
		if !slices.Equal(a[:last], b[:last]) || a[last] != w[1] || b[last] != w[2] {
			return nil, 0, fmt.Errorf("a is %v and b %v, which do not fit each other or weight of %v", a, b, w)
		}
		if len(c.In) > 3 && !slices.Equal(c.shape(3), w[:1]) {
			return nil, 0, fmt.Errorf("bias is %v, not %v", c.shape(3), w[:1])
		}
		return shapes.With(a[:last], w[0]), c.dt(0), nil
	},
	// The products of a and weight are as large as the result of a product of matrices, and are summed with b after.
	Compose: func(c *Call) *Node {
		y := Einsum("...i,...j,oij->...o", c.In[:3]...)
		if len(c.In) > 3 {
			y = Add(y, c.In[3])
		}
		return y
	},
})

// Cov returns the covariances of variables, the rows of x, over observations, its columns:
//
//	y[i, j] = Σ_k w[k] (x[i, k] - mean[i]) (x[j, k] - mean[j]) / (n - correction)
//
// x is [variables, observations], or [observations] for one variable, whose result is a scalar; a float. Without weights, w is 1 and n
// the number of observations. With options, w = counts · weights, means are weighted, and n - correction becomes Σw - correction · Σ w
// weights / Σw.
// Errors: dtypes; shapes.
// Source: NumPy, numpy.cov, where the correction is called ddof.
func Cov(x *Node, o *CovOptions) *Node {
	a, in := covAttr{Correction: 1}, []*Node{x}
	if o != nil {
		a.Correction = float64(1)
		if o.Correction != nil {
			a.Correction = *o.Correction
		}
		if a.Counts = o.Counts != nil; a.Counts {
			in = append(in, o.Counts)
		}
		if o.Weights != nil {
			in = append(in, o.Weights)
		}
	}
	return apply("cov", a, in...)
}

// CovOptions are the options of [Cov]. The zero value and nil weigh all observations alike and correct by 1.
type CovOptions struct {
	// Correction is subtracted from the number of observations; nil: 1.
	Correction *float64
	// Counts say how often each observation was made, [observations] of any integer.
	Counts *Node
	// Weights say how much each observation counts, [observations] of the dtype of x.
	Weights *Node
}

type covAttr struct {
	Correction float64 `default:"1" doc:"taken off the number of observations"`
	Counts     bool    `default:"false" doc:"the second operand are counts, not weights"`
}

var _ = define(Op{
	Name: "cov", Category: "statistics",
	Attributes: AttributesOf[covAttr](),
	Operands:   []Operand{{Name: "x"}, {Name: "counts", DTypes: numbers, Optional: true}, {Name: "weights", DTypes: numbers, Optional: true}},
	DTypes:     floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s, a := c.shape(0), c.Attr.(covAttr)
		if len(s) == 0 || len(s) > 2 {
			return nil, 0, fmt.Errorf("x is %v, not [variables observations]", s)
		}
		if len(c.In) == 3 && !a.Counts {
			return nil, 0, errors.New("of two operands beside x the first must be counts")
		}
		for i := 1; i < len(c.In); i++ {
			if counts := a.Counts && i == 1; counts != c.dt(i).IsInt() || !counts && c.dt(i) != c.dt(0) {
				return nil, 0, fmt.Errorf("operand %d is %v", i, c.dt(i))
			}
			if !slices.Equal(c.shape(i), s[len(s)-1:]) {
				return nil, 0, fmt.Errorf("operand %d is %v, not %v", i, c.shape(i), s[len(s)-1:])
			}
		}
		return slices.Repeat(s[:len(s)-1], 2), c.dt(0), nil
	},
	Compose: func(c *Call) *Node { return Cast(covariance(c), c.dt(0)) },
})

// covariance computes the covariance of the call c in the widened dtype.
func covariance(c *Call) *Node {
	x, a := widen(c.In[0]), c.Attr.(covAttr)
	scalar := x.Rank() == 1
	if scalar {
		x = ExpandDims(x, 0)
	}
	n := x.Dim(-1)
	var w *Node
	norm := ScalarLike(x, float64(n)-a.Correction)
	mean := ExpandDims(Mean(x, -1), -1)
	if len(c.In) > 1 {
		w = Cast(c.In[1], x.dtype)
		var weights *Node
		if last := len(c.In) - 1; !a.Counts || last == 2 {
			weights = Cast(c.In[last], x.dtype)
		}
		if len(c.In) == 3 {
			w = Mul(w, weights)
		}
		sum := Sum(w)
		mean = Div(ExpandDims(Sum(Mul(x, w), -1), -1), sum)
		taken := ScalarLike(x, a.Correction)
		if weights != nil {
			taken = Mul(taken, Div(Sum(Mul(w, weights)), sum))
		}
		norm = Sub(sum, taken)
	}
	d := Sub(x, mean)
	left := d
	if w != nil {
		left = Mul(d, w)
	}
	// Fewer observations than the correction give infinities or NaN, as in NumPy.
	norm = Maximum(norm, ScalarLike(norm, 0))
	y := Div(MatMul(left, swapLast(d)), norm)
	if scalar {
		y = Reshape(y)
	}
	return y
}

// Corrcoef returns the correlation coefficients of variables, the rows of x, over observations, its columns:
//
//	y[i, j] = c[i, j] / √(c[i, i] · c[j, j]),  c = Cov(x)
//
// cut to [-1, 1]. x is as there. A variable that does not vary gives NaN.
// Source: NumPy, numpy.corrcoef.
func Corrcoef(x *Node) *Node { return apply("corrcoef", nil, x) }

var _ = define(Op{
	Name: "corrcoef", Category: "statistics",
	Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		if len(s) == 0 || len(s) > 2 {
			return nil, 0, fmt.Errorf("x is %v, not [variables observations]", s)
		}
		return slices.Repeat(s[:len(s)-1], 2), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		y := Cov(widen(c.In[0]), nil)
		if y.Rank() == 0 {
			return Cast(Div(y, y), c.dt(0))
		}
		d := Sqrt(Diagonal(y, 0, -2, -1))
		y = Div(Div(y, ExpandDims(d, -1)), ExpandDims(d, -2))
		return Cast(Clip(y, -1, 1), c.dt(0))
	},
})

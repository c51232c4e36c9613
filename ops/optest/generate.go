package optest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Values of random programs stay small: elements, and in exact programs their
// magnitude, so that every sum of products is an integer that float32 holds.
const (
	maxElements = 3000
	maxUsual    = 64
)

// newProgram makes the program of a seed, of ops that run everywhere.
func newProgram(seed uint64) *program { return newProgramWith(seed, nil) }

// newProgramWith makes the program of a seed, a smooth one with moves from more, too.
func newProgramWith(seed uint64, more tableMoves) *program {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	p := &program{rng: rng, exact: seed%2 == 0}
	moves, table := p.kind()
	for range 1 + rng.IntN(2) {
		p.input(p.base, p.randomShape()...)
	}
	for range 4 + rng.IntN(9) {
		switch kind := rng.IntN(5); {
		case kind < 2:
			table.move(p)
			continue
		case kind == 2 && !p.exact && len(more) > 0:
			more.move(p)
			continue
		}
		moves[rng.IntN(len(moves))](p)
	}
	p.finish()
	return p
}

// kind chooses the dtype of a program, and returns the moves of its kind.
func (p *program) kind() ([]move, tableMoves) {
	if p.exact {
		p.base = exactDTypes[p.rng.IntN(len(exactDTypes))]
		return slices.Concat(viewMoves, structureMoves, foldMoves, controlMoves, exactMoves), exactTable()
	}
	p.base = tensor.Float32
	return slices.Concat(viewMoves, structureMoves, foldMoves, controlMoves, smoothMoves), smoothTable()
}

// finish chooses the outputs of a program, and its variables.
func (p *program) finish() {
	p.outputs = p.results()
	p.updates = p.variables()
}

// exactDTypes are the dtypes of exact programs. Float32 is listed twice, so that it is drawn more often.
var exactDTypes = []tensor.DType{tensor.Float32, tensor.Float32, tensor.Int32, tensor.Float16, tensor.BFloat16, tensor.Int8, tensor.Uint16,
	tensor.Int64}

// results are the values to look at: those that nothing else uses, and now and
// then one that something does, or an input.
func (p *program) results() []int {
	used := make([]bool, len(p.steps))
	for _, s := range p.steps {
		for _, a := range s.args {
			used[a] = true
		}
	}
	var out []int
	some := false
	for i, s := range p.steps {
		if computed := s.op != ""; computed && !used[i] || p.rng.IntN(12) == 0 {
			out = append(out, i)
			some = some || computed
		}
	}
	if !some { // every move declined
		i, _ := p.apply("neg", nil, sample.One(ops.Neg), 0)
		out = append(out, i)
	}
	return out
}

// variables are some of the inputs, each with a value that is to become its own.
func (p *program) variables() map[int]int {
	to := map[int]int{}
	for v, s := range p.steps {
		if s.op != "" || p.rng.IntN(3) > 0 {
			continue
		}
		to[v] = v
		for i, w := range p.values {
			if w.DType == p.values[v].DType && slices.Equal(w.Shape, p.shape(v)) && (to[v] == v || p.rng.IntN(2) == 0) {
				to[v] = i
			}
		}
	}
	return to
}

// randomShape is a shape of up to four axes, of sizes that are awkward.
func (p *program) randomShape() []int {
	sizes := []int{1, 2, 3, 3, 4, 5, 5, 6, 7, 9}
	if p.rng.IntN(12) == 0 {
		sizes = append(sizes, 0, 0)
	}
	shape := make([]int, p.rng.IntN(5))
	for a := range shape {
		shape[a] = sizes[p.rng.IntN(len(sizes))]
	}
	if p.rng.IntN(8) == 0 {
		return []int{257 + p.rng.IntN(900)}
	}
	return shape
}

// input adds an input with random values.
func (p *program) input(dt tensor.DType, shape ...int) int {
	a := spec.NewArray(dt, shape...)
	for i := range a.Len() {
		switch {
		case a.F != nil && p.exact:
			a.F[i] = float64(p.rng.IntN(9) - 4)
		case a.F != nil:
			a.F[i] = float64(float32(4*p.rng.Float64() - 2))
		case a.I != nil:
			a.I[i] = int64(p.rng.IntN(9) - 4)
		case dt == tensor.Bool:
			a.U[i] = uint64(p.rng.IntN(2))
		default:
			a.U[i] = uint64(p.rng.IntN(9))
		}
	}
	return p.enter(a)
}

// enter adds an input with the values of a. Where a has the open extent, so have the inputs of the other sizes, with the same
// values over and over.
func (p *program) enter(a spec.Array) int {
	p.steps, p.values = append(p.steps, step{}), append(p.values, a)
	for k, n := range p.sizes {
		b := a
		if slices.Contains(a.Shape, p.lead) {
			b = spec.NewArray(a.DType, p.resized(a.Shape, n)...)
			for i := range b.Len() {
				reference.CopyElement(b, i, a, i%a.Len())
			}
		}
		p.resizedValues[k] = append(p.resizedValues[k], b)
	}
	return len(p.steps) - 1
}

// resized is shape with n in place of the open extent.
func (p *program) resized(shape []int, n int) []int {
	shape = slices.Clone(shape)
	for a, d := range shape {
		if p.lead > 0 && d == p.lead {
			shape[a] = n
		}
	}
	return shape
}

// indices adds an input of positions on an axis of extent n, some outside it.
func (p *program) indices(n int, shape ...int) int {
	dt := []tensor.DType{tensor.Int32, tensor.Int64}[p.rng.IntN(2)]
	i := p.input(dt, shape...)
	for k := range p.values[i].I {
		p.values[i].I[k] = int64(p.rng.IntN(n+2) - 1)
	}
	return i
}

// apply adds one op. It declines ops whose results would grow too large, and tames values
// that have.
func (p *program) apply(op string, attr any, build func(in []*ops.Node) *ops.Node, args ...int) (int, bool) {
	return p.applyAs(op, p.base, attr, build, args...)
}

func (p *program) applyAs(op string, dt tensor.DType, attr any, build func(in []*ops.Node) *ops.Node, args ...int) (int, bool) {
	return p.add(step{op: op, attr: attr, args: args, build: build}, dt, nil)
}

// add adds a step whose result is of dtype dt, and of a shape where its reference must know it.
func (p *program) add(s step, dt tensor.DType, shape []int) (int, bool) {
	p.steps = append(p.steps, s)
	i := len(p.steps) - 1
	r := p.evaluate(i, p.values, dt, shape)
	if !p.usable(r) {
		p.steps = p.steps[:i]
		return 0, false
	}
	var others []spec.Array
	for k := range p.sizes {
		if r, err := p.tryEvaluate(i, p.resizedValues[k], dt); err == nil && p.usable(r) {
			others = append(others, r.Array)
		}
	}
	if len(others) < len(p.sizes) { // not for any size
		p.steps = p.steps[:i]
		return 0, false
	}
	p.values = append(p.values, r.Array)
	for k, a := range others {
		p.resizedValues[k] = append(p.resizedValues[k], a)
	}
	limit := 8.0
	if largest, _ := magnitudes(r); largest > maxUsual && dt == p.base { // a clip of integers leaves integers
		return p.apply("clip", [2]float64{-limit, limit}, func(in []*ops.Node) *ops.Node { return ops.Clip(in[0], -limit, limit) }, i)
	}
	return i, true
}

// usable reports whether a program may go on with r: it is not too large, finite, and in an exact program of small integers.
func (p *program) usable(r spec.Result) bool {
	if r.Len() > maxElements {
		return false
	}
	for _, v := range r.F {
		if math.IsNaN(v) || math.IsInf(v, 0) || p.exact && v != math.Trunc(v) {
			return false
		}
	}
	return !p.exact || p.small(r)
}

// magnitudes are the largest magnitude of a result, and the largest sum of magnitudes that its error bound has.
func magnitudes(r spec.Result) (value, terms float64) {
	for k := range r.F {
		value = max(value, math.Abs(r.F[k]))
		if r.Terms != nil {
			terms = max(terms, r.Terms[k])
		}
	}
	return value, terms
}

// small reports whether the integers of r are held, and were summed, exactly.
func (*program) small(r spec.Result) bool {
	value, terms := magnitudes(r)
	return value <= whole(r.DType) && terms <= whole(tensor.Float32)
}

// whole is the largest n such that a float dtype holds every integer up to n.
func whole(dt tensor.DType) float64 { return math.Ldexp(1, format.Of(dt).Precision) }

// any is a value of the base dtype for which ok holds: for preference one of
// the last, and no input, so that chains grow long.
func (p *program) any(ok func(shape []int) bool) (int, bool) {
	var fit, computed []int
	for i, v := range p.values {
		if v.DType == p.base && (ok == nil || ok(v.Shape)) {
			fit = append(fit, i)
			if p.steps[i].op != "" {
				computed = append(computed, i)
			}
		}
	}
	if len(computed) > 0 && p.rng.IntN(5) > 0 {
		fit = computed
	}
	if len(fit) == 0 {
		return 0, false
	}
	back := min(p.rng.IntN(3), p.rng.IntN(len(fit)))
	return fit[len(fit)-1-back], true
}

func (p *program) shape(i int) []int { return p.values[i].Shape }

// partner is a value that broadcasts with value i: an old one, or a new input
// with some axes of extent 1 or missing.
func (p *program) partner(i int) int {
	if p.rng.IntN(2) == 0 {
		if j, ok := p.any(func(s []int) bool { return broadcasts(p.shape(i), s) }); ok && j != i {
			return j
		}
	}
	shape := slices.Clone(p.shape(i))
	for a := range shape {
		if p.rng.IntN(3) == 0 {
			shape[a] = 1
		}
	}
	return p.input(p.base, shape[p.rng.IntN(len(shape)+1):]...)
}

func broadcasts(a, b []int) bool {
	_, err := tensor.Broadcast(a, b)
	return err == nil
}

// some are distinct axes out of rank, at least one if there is one.
func (p *program) some(rank int) []int {
	if rank == 0 {
		return nil
	}
	return p.rng.Perm(rank)[:1+p.rng.IntN(rank)]
}

// factors splits n into up to four extents at random.
func (p *program) factors(n int) []int {
	if n == 0 {
		return []int{2, 0, 3}[:2+p.rng.IntN(2)]
	}
	shape := slices.Repeat([]int{1}, 1+p.rng.IntN(4))
	for d := 2; n > 1; {
		if n%d == 0 {
			shape[p.rng.IntN(len(shape))] *= d
			n /= d
		} else {
			d++
		}
	}
	return shape
}

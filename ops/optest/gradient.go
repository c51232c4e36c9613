package optest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestGradients checks the gradient of every differentiable op on the engine e
// in float64 against central finite differences: for the scalar
//
//	L(x) = Σ w · op(x)
//
// with random weights w and random directions v,
//
//	v · ∂L/∂x = (L(x + h·v) - L(x - h·v)) / 2h + O(h²)
//
// Operands are kept away from kinks and poles. Subtests are named op/sample.
func TestGradients(t *testing.T, e engine.Engine, o *Options) {
	o.demandOps(t)
	rt := ops.NewRuntime(e)
	eachDifferentiable(t, o, func(t *testing.T, op *ops.Op) {
		all, exe := compileGradients(t, rt, op, tensor.Float64)
		defer exe.Close()
		if drawing[op.Name] {
			checkLinear(t, exe, all)
			return
		}
		checkDifferences(t, exe, all)
	})
}

// eachDifferentiable runs a subtest for every op that has a gradient.
func eachDifferentiable(t *testing.T, o *Options, test func(t *testing.T, op *ops.Op)) {
	for op := range ops.Table() {
		if differentiable(o, op) {
			t.Run(op.Name, func(t *testing.T) {
				t.Parallel()
				test(t, op)
			})
		}
	}
}

func differentiable(o *Options, op *ops.Op) bool {
	return o.wants(op) && op.Differentiable() && slices.Contains(DTypes(op), tensor.Float64)
}

// gradCell is a cell whose op is followed by a weighted sum.
type gradCell struct {
	cell
	loss  *ops.Node
	xs    []int       // which operands have derivatives
	grads []*ops.Node // of these
}

// gradResult is the result of one run for a cell.
type gradResult struct {
	loss  float64
	grads []spec.Array
}

// gradCells builds loss and gradients of those samples of op that have a
// derivative everywhere, as parts of g. Where shared is not nil, operands and weights that are alike are
// the same nodes, those of shared.
func gradCells(g *ops.Graph, op *ops.Op, dt tensor.DType, shared map[string]*ops.Node) []*gradCell {
	var all []*gradCell
	if _, hasPole := poles[op.Name]; hasPole {
		shared = nil
	}
	for _, c := range cells(op, dt) {
		if !smooth(c) {
			continue
		}
		gc := &gradCell{cell: *c}
		gc.constants = tensor.Float32 // the same in every dtype
		weights := []string{op.Name, c.sample.Label, "weights"}
		if shared != nil {
			gc.shared, gc.seed = shared, []string{"shared"}
			weights = []string{"shared", "weights"}
		}
		if gc.build(g); gc.out == nil {
			continue // the graph says why
		}
		if gc.out.DType() != dt {
			continue // a cast to a dtype that has no derivatives, or a coarser one
		}
		gc.calm()
		var xs []*ops.Node
		for i, n := range gc.in {
			if n.DType() == dt && !gc.sample.Operands[i].Fixed {
				gc.xs, xs = append(gc.xs, i), append(xs, n)
			}
		}
		// The same weights in every dtype.
		key := fmt.Sprint("weights ", gc.out.Shape())
		w := shared[key]
		if w == nil {
			v := spec.Fill(spec.Operand{Shape: gc.out.Shape(), Lo: 0.5, Hi: 1.5}, tensor.Float32, spec.Seed(weights...))
			if w = g.Const(tensor.Must(tensor.Cast(v, dt))); shared != nil {
				shared[key] = w
			}
		}
		gc.loss = ops.Sum(ops.Mul(gc.out, w))
		gc.grads = ops.Gradients(gc.loss, xs...)
		all = append(all, gc)
	}
	return all
}

// compileGradients compiles loss and gradients of all samples of op as one
// graph. A device that lacks dt skips the test.
func compileGradients(t *testing.T, rt *ops.Runtime, op *ops.Op, dt tensor.DType) ([]*gradCell, *ops.Executable) {
	t.Helper()
	g := ops.NewGraph(t.Name())
	if err := spec.Judgeable(op); err != nil {
		t.Fatal(err)
	}
	all := gradCells(g, op, dt, nil)
	if err := g.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Skip("no sample has a derivative")
	}
	var outputs []*ops.Node
	for _, c := range all {
		outputs = append(append(outputs, c.loss), c.grads...)
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outputs})
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skipf("absent: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, again(t))
	}
	return all, exe
}

// smooth reports whether the sample can be differentiated: finite operands, and
// some to vary.
func smooth(c *cell) bool {
	varies := false
	for _, o := range c.sample.Operands {
		if o.Special {
			return false
		}
		varies = varies || !o.DType.Valid() && !o.Fixed && spec.Count(o.Shape) > 0
	}
	return varies
}

// poles are the operands that a function divides by, by op.
var poles = map[string]int{"div": 1, "rem": 1, "reciprocal": 0}

// calm replaces the floats by values at which op has a derivative. All values of
// an operand differ and lie on a grid that holds neither zero nor a simple
// fraction; the grids of two operands have no point in common. Ranges that the
// sample gives are open: at their ends a slope may be infinite.
func (c *gradCell) calm() {
	pole, hasPole := poles[c.op.Name]
	for i, o := range c.sample.Operands {
		v := c.values[i]
		if !v.DType().IsFloat() || o.Fixed {
			continue
		}
		lo, hi := -4.0, 4.0
		if o.Lo != 0 || o.Hi != 0 {
			margin := (o.Hi - o.Lo) / 20
			lo, hi = o.Lo+margin, o.Hi-margin
		}
		a := spec.NewArray(v.DType(), v.Shape()...)
		seed := c.seed
		if seed == nil {
			seed = []string{c.op.Name, c.sample.Label}
		}
		rng := rand.New(rand.NewPCG(spec.Seed(seed...), uint64(i)))
		step, phase := (hi-lo)/float64(max(len(a.F), 1)), math.Mod(0.41+0.13*float64(i), 1)
		for p, k := range rng.Perm(len(a.F)) {
			x := lo + step*(float64(k)+phase)
			if hasPole && pole == i {
				x += math.Copysign(0.5, x)
			}
			a.F[p] = x
		}
		c.values[i] = a.Tensor()
	}
}

// runGradients runs exe with the operands of the cells.
func runGradients(t *testing.T, exe *ops.Executable, all []*gradCell) []gradResult {
	t.Helper()
	feeds := ops.Feeds{}
	for _, c := range all {
		c.feed(feeds)
	}
	outs, err := exe.Run(t.Context(), feeds)
	if err != nil {
		t.Fatalf("%v\n%s", err, again(t))
	}
	results := make([]gradResult, len(all))
	for i, c := range all {
		results[i].loss = spec.FromTensor(outs[0]).F[0]
		for k := range c.grads {
			results[i].grads = append(results[i].grads, spec.FromTensor(outs[1+k]))
		}
		outs = outs[1+len(c.grads):]
	}
	return results
}

// drawing are the ops that draw random numbers at every run, so that two runs do
// not make a difference. They are linear once drawn.
var drawing = map[string]bool{"dropout": true, "feature_dropout": true}

// checkLinear checks that L(x) = x · ∂L/∂x, within one run.
func checkLinear(t *testing.T, exe *ops.Executable, all []*gradCell) {
	for i, r := range runGradients(t, exe, all) {
		t.Run(all[i].sample.Label, func(t *testing.T) {
			var sum float64
			for k, x := range all[i].xs {
				for p, v := range spec.FromTensor(all[i].values[x]).F {
					sum += v * r.grads[k].F[p]
				}
			}
			if off := math.Abs(sum - r.loss); !(off <= 1e-12*math.Abs(r.loss)) {
				t.Fatalf("the loss is %.17g, the gradient along x %.17g\n%s", r.loss, sum, again(t))
			}
		})
	}
}

// Finite differences: three directions, two step sizes. The error of one may
// be that of a kink that the other does not reach.
const directions = 3

var steps = []float64{4e-6, 5e-7}

func checkDifferences(t *testing.T, exe *ops.Executable, all []*gradCell) {
	base := runGradients(t, exe, all)
	problems := make([]string, len(all))
	for d := range directions {
		moves := make([][]spec.Array, len(all))
		for i, c := range all {
			for k, x := range c.xs {
				moves[i] = append(moves[i], direction(c.values[x], spec.Seed(c.sample.Label, fmt.Sprint(d, k))))
			}
		}
		for i, message := range slopesDiffer(t, exe, all, base, moves) {
			if message != "" && problems[i] == "" {
				problems[i] = message
			}
		}
	}
	for i, c := range all {
		t.Run(c.sample.Label, func(t *testing.T) {
			for k, x := range c.xs {
				if !slices.Equal(base[i].grads[k].Shape, c.values[x].Shape()) {
					t.Fatalf("the gradient of operand %d has shape %v, not %v", x, base[i].grads[k].Shape, c.values[x].Shape())
				}
			}
			if problems[i] != "" {
				t.Fatalf("%s%s\n%s", problems[i], worstElement(t, exe, all, base, i), again(t))
			}
		})
	}
}

// slopesDiffer compares slopes along moves with gradients; the messages are
// empty where they agree.
func slopesDiffer(t *testing.T, exe *ops.Executable, all []*gradCell, base []gradResult, moves [][]spec.Array) []string {
	t.Helper()
	messages := make([]string, len(all))
	best := slices.Repeat([]float64{math.Inf(1)}, len(all))
	for _, h := range steps {
		up, down := shifted(t, exe, all, moves, h), shifted(t, exe, all, moves, -h)
		for i := range all {
			var slope, size float64
			for k, v := range moves[i] {
				for p, g := range base[i].grads[k].F {
					slope += g * v.F[p]
					size += math.Abs(g * v.F[p])
				}
			}
			difference := (up[i].loss - down[i].loss) / (2 * h)
			noise := 0x1p-50 * (math.Abs(up[i].loss) + math.Abs(base[i].loss) + 10) / h
			off := math.Abs(difference - slope)
			if math.IsNaN(off) {
				off = math.Inf(1)
			}
			if off <= 2e-6*size+noise {
				best[i], messages[i] = 0, ""
			} else if off < best[i] || messages[i] == "" && best[i] != 0 {
				best[i] = off
				messages[i] = fmt.Sprintf("the gradient gives slope %.9g, finite differences %.9g (allowed %.2g)", slope, difference, 2e-6*size+noise)
			}
		}
	}
	return messages
}

// shifted runs exe with every operand moved by h times its direction.
func shifted(t *testing.T, exe *ops.Executable, all []*gradCell, moves [][]spec.Array, h float64) []gradResult {
	t.Helper()
	moved := make([]*gradCell, len(all))
	for i, c := range all {
		m := *c
		m.values = slices.Clone(c.values)
		for k, x := range c.xs {
			a := spec.FromTensor(c.values[x])
			for p := range a.F {
				a.F[p] += h * moves[i][k].F[p]
			}
			m.values[x] = a.Tensor()
		}
		moved[i] = &m
	}
	return runGradients(t, exe, moved)
}

// direction is a random vector of components around ±1.
func direction(like *tensor.Tensor, seed uint64) spec.Array {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := spec.NewArray(like.DType(), like.Shape()...)
	for p := range v.F {
		v.F[p] = float64(1-2*rng.IntN(2)) * (0.5 + rng.Float64()/2)
	}
	return v
}

// worstElement looks for the element whose derivative is wrong, by moving one
// at a time.
func worstElement(t *testing.T, exe *ops.Executable, all []*gradCell, base []gradResult, i int) string {
	const maxTries = 300
	tried := 0
	for k, x := range all[i].xs {
		shape := all[i].values[x].Shape()
		for p := range spec.Count(shape) {
			if tried++; tried > maxTries {
				return ""
			}
			moves := make([][]spec.Array, len(all))
			for j, c := range all {
				for _, y := range c.xs {
					moves[j] = append(moves[j], spec.NewArray(tensor.Float64, c.values[y].Shape()...))
				}
			}
			moves[i][k].F[p] = 1
			if message := slopesDiffer(t, exe, all, base, moves)[i]; message != "" {
				return fmt.Sprintf("\nelement %v of operand %d (%v): %s", reference.Coordinate(shape, p), x,
					reference.TextAt(spec.FromTensor(all[i].values[x]), p), message)
			}
		}
	}
	return ""
}

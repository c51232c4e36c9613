package optest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// TestOpenGraphs checks n random graphs with an open extent with [OpenGraphError]. Subtests are named by their seed.
func TestOpenGraphs(t *testing.T, e engine.Engine, n int) {
	for seed := range n {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			reportGraph(t, OpenGraphError(t.Context(), e, uint64(seed)))
		})
	}
}

// OpenGraphError builds the random graph of a seed whose inputs share an extent that is open, compiles it once, and
// compares its results for each of several sizes with the references of its ops, as [CheckGraph] does. It is nil where all agree.
func OpenGraphError(ctx context.Context, e engine.Engine, seed uint64) error {
	return OpenGraphs(e).Error(ctx, seed)
}

// openGraphError is the difference between what e makes of p for each of its sizes and the references.
func openGraphError(ctx context.Context, e engine.Engine, p *program, name string) error {
	g, feeds := ops.NewGraph(name), ops.Feeds{}
	nodes := p.build(g, feeds)
	target := ops.Target{}
	for _, v := range p.outputs {
		target.Outputs = append(target.Outputs, nodes[v])
	}
	exe, err := g.Compile(ctx, ops.NewRuntime(e), target)
	if err != nil {
		return err
	}
	defer exe.Close()
	for k, values := range slices.Insert(slices.Clone(p.resizedValues), 0, p.values) {
		for i, n := range nodes {
			if p.steps[i].op == "" {
				feeds[n] = values[i].Tensor()
			}
		}
		outs, err := exe.Run(ctx, feeds)
		if err != nil {
			return fmt.Errorf("size %d: %w", p.size(k), err)
		}
		var slack [][]float64
		if !p.exact {
			slack = p.slack(values)
		}
		var wrong []error
		for i, v := range p.outputs {
			if message := p.differs(outs[i], values, v, slack); message != "" {
				wrong = append(wrong, differenceError(fmt.Sprintf("size %d: value v%d: %s", p.size(k), v, message)))
			}
		}
		if wrong != nil {
			return errors.Join(wrong...)
		}
	}
	return nil
}

// size is the extent of run k.
func (p *program) size(k int) int { return slices.Insert(slices.Clone(p.sizes), 0, p.lead)[k] }

// openLead stands for the open extent in the values of a program: no other extent is likely to have it.
const openLead = 13

// newOpenProgram makes the program of a seed whose inputs share an open extent. A program that does not work for every size, or is not of
// an open shape, is drawn again.
func newOpenProgram(seed uint64) *program {
	for try := uint64(0); ; try++ {
		p := drawOpen(rand.New(rand.NewPCG(seed, 0x51ed270b+try)), seed%2 == 0)
		if p.sound() {
			return p
		}
	}
}

// sound reports whether p is a graph with its extent open and with each of its sizes, and gives the shapes that the references do.
func (p *program) sound() bool {
	g := ops.NewGraph("open")
	open := p.build(g, ops.Feeds{})
	if g.Err() != nil {
		return false
	}
	for _, values := range p.resizedValues {
		q := &program{steps: p.steps, values: values}
		g := ops.NewGraph("fixed")
		nodes := q.build(g, ops.Feeds{})
		if g.Err() != nil {
			return false
		}
		for i, n := range nodes {
			if !slices.Equal(n.Shape(), values[i].Shape) {
				return false
			}
			for a, d := range open[i].Shape() { // a part of a small extent may be shorter than of others
				if d >= 0 && d != values[i].Shape[a] {
					return false
				}
			}
		}
	}
	return true
}

func drawOpen(rng *rand.Rand, exact bool) *program {
	p := &program{rng: rng, exact: exact, lead: openLead, sizes: []int{1, 2 + rng.IntN(9), 14 + rng.IntN(20)}}
	p.resizedValues = make([][]spec.Array, len(p.sizes))
	moves, table := p.kind()
	for range 1 + rng.IntN(2) {
		shape := p.randomShape()
		for spec.Count(shape) > maxElements/100 { // several of them fit into the largest size
			shape = shape[1:]
		}
		p.input(p.base, append([]int{openLead}, shape...)...)
	}
	for range 4 + rng.IntN(9) {
		if rng.IntN(5) < 2 {
			table.elementwise().move(p)
			continue
		}
		moves[rng.IntN(len(moves))](p)
	}
	p.outputs = p.results()
	return p
}

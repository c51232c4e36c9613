package optest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestSamplesWithOpenSizes: the sample of an op whose inputs have open extents gives the results that it gives with numbers. Equal extents
// are one open extent. Samples that fix an extent by nodes that they build beside the inputs cannot be built so; every op has one that can,
// but those whose shapes are bound to numbers.
func TestSamplesWithOpenSizes(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	run := func(c *cell, g *ops.Graph) ([]*tensor.Tensor, error) {
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{c.out}})
		if err != nil {
			return nil, err
		}
		defer exe.Close()
		feeds := ops.Feeds{}
		c.feed(feeds)
		return exe.Run(t.Context(), feeds)
	}
	for op := range ops.Table() {
		built, reason := 0, error(nil)
		for i, s := range spec.Samples(op.Name) {
			dt := mainDType(op)
			if s.Only != nil {
				dt = s.Only[0]
			}
			fixed := &cell{op: op, sample: s, dt: dt, number: i}
			g := ops.NewGraph(op.Name)
			fixed.build(g)
			require.NoError(t, g.Err())
			largest := 0
			for _, v := range fixed.values {
				for _, d := range v.Shape() {
					largest = max(largest, d)
				}
			}
			for _, which := range []func(d int) bool{
				func(d int) bool { return d > 1 }, func(d int) bool { return d > 1 && d == largest },
				func(d int) bool {
					return d > 1 && len(fixed.values) > 0 && len(fixed.values[0].Shape()) > 0 && d == fixed.values[0].Shape()[0]
				},
			} {
				c := &cell{op: op, sample: s, dt: dt, number: i, open: func(d int) int {
					if which(d) {
						return ops.Dim(fmt.Sprint("n", d))
					}
					return d
				}}
				og := ops.NewGraph(op.Name)
				reason = nil
				func() {
					defer func() { // a sample may calculate with a handle, which is no number
						if r := recover(); r != nil {
							reason = fmt.Errorf("the sample: %v", r)
						}
					}()
					c.build(og)
				}()
				if err := og.Err(); err != nil || reason != nil {
					reason = errors.Join(err, reason)
					continue
				}
				built++
				want, err := run(fixed, g)
				require.NoError(t, err)
				got, err := run(c, og)
				if assert.NoError(t, err, "%s %s", op.Name, s.Label) {
					assert.Equal(t, want[0].String(), got[0].String(), "%s %s", op.Name, s.Label)
				}
				break
			}
			if built > 0 && testing.Short() {
				break
			}
		}
		if !boundToNumbers[op.Name] {
			assert.Positive(t, built, "%s: %v", op.Name, reason)
		}
	}
}

// boundToNumbers are ops whose samples calculate with extents or name them as attributes.
var boundToNumbers = map[string]bool{"affine_grid": true, "linalg.tensor_inv": true, "linalg.tensor_solve": true, "trim": true}

// A multiple of the open extent is taken apart for every size.
func TestMultiplesOfTheOpenExtentAreTakenApart(t *testing.T) {
	p := &program{rng: rand.New(rand.NewPCG(1, 2)), lead: openLead, sizes: []int{1, 5, 20}}
	p.resizedValues = make([][]spec.Array, len(p.sizes))
	p.kind()
	x := p.input(p.base, openLead, 2)
	flat, ok := p.add(step{
		op: "reshape", attr: []int{2 * openLead}, args: []int{x},
		at:    func(in []spec.Array) any { return []int{in[0].Len()} },
		build: sample.One(func(x *ops.Node) *ops.Node { return ops.Reshape(x, -1) }),
	}, p.base, nil)
	require.True(t, ok)
	again, ok := p.reshape(flat, []int{openLead, 2})
	require.True(t, ok)
	p.outputs = []int{again}
	require.True(t, p.sound())
	for k, n := range p.sizes {
		require.Equal(t, []int{n, 2}, p.resizedValues[k][again].Shape)
	}
}

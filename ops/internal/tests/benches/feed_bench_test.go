package benches_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkFeed runs graphs on one large batch after the other. A device that is
// never left waiting takes for each no longer than the longer of two times: that
// of moving the batch alone and that of the kernels alone, which are measured in
// the same run; "of-limit" is how near Each comes, 1 is all of it. "run" is the
// same loop with Run, which moves and computes in turn. Where memory is shared,
// ANYCL_STAGING=on shows what the way through pinned memory costs.
func BenchmarkFeed(b *testing.B) {
	const rows, cols = 4096, 4096 // 64 MiB
	for _, c := range []struct {
		name  string
		build func(g *ops.Graph, x *ops.Node) *ops.Node
	}{
		{"sum", func(_ *ops.Graph, x *ops.Node) *ops.Node { return ops.Sum(x) }},
		{"scale", func(_ *ops.Graph, x *ops.Node) *ops.Node { return ops.Mul(x, ops.ScalarLike(x, 2)) }}, // as much comes back
		{"matmul", func(g *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Max(ops.MatMul(x, g.Variable("w", tensor.Must(tensor.New(tensor.Float32, cols, 1024)))))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := newFeeding(b, rows, cols, c.build)
			const rounds = 8
			times := make([]time.Duration, len(f.ways))
			run := func() {
				for i, way := range f.ways { // in turn, so that all see the same machine
					start := time.Now()
					require.NoError(b, way(rounds))
					times[i] += time.Since(start) / rounds
				}
			}
			run()
			clear(times)
			for b.Loop() {
				run()
			}
			ms := func(t time.Duration) float64 { return t.Seconds() * 1e3 / float64(b.N) }
			each, plain, move, compute := times[0], times[1], times[2], times[3]
			b.ReportMetric(ms(each), "each-ms")
			b.ReportMetric(ms(plain), "run-ms")
			b.ReportMetric(ms(move), "move-ms")
			b.ReportMetric(ms(compute), "compute-ms")
			b.ReportMetric(max(move, compute).Seconds()/each.Seconds(), "of-limit")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// feeding is a graph and the ways to do a given number of rounds of it: by Each, by Run,
// only what is moved, only what is computed.
type feeding struct {
	ways [4]func(rounds int) error
}

func newFeeding(b *testing.B, rows, cols int, build func(g *ops.Graph, x *ops.Node) *ops.Node) *feeding {
	b.Helper()
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, rt.Close()) })
	if rt.Device() == nil {
		b.Skip("no OpenCL device: " + rt.Why())
	}
	values := make([]float32, rows*cols)
	for i := range values {
		values[i] = float32(i%2003)/1000 - 1
	}
	batch := tensor.Must(tensor.FromSlice(values, rows, cols))

	g := ops.NewGraph("feed")
	x := g.Input("x", tensor.Float32, rows, cols)
	fed, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{build(g, x)}, Place: ops.OnDevice})
	require.NoError(b, err)
	feeds := ops.Feeds{x: batch}
	outs, err := fed.Run(ctx, feeds)
	require.NoError(b, err)

	// The same on what is there already, and every result written over the one before.
	h := ops.NewGraph("compute")
	y := build(h, h.Variable("x", batch))
	kept := h.Variable("kept", tensor.Must(tensor.New(y.DType(), y.Shape()...)))
	compute, err := h.Compile(ctx, rt, ops.Target{Updates: []*ops.Node{ops.Assign(kept, y)}, Place: ops.OnDevice})
	require.NoError(b, err)

	e := rt.Engines()[0]
	in, _ := batch.Bytes()
	out, _ := outs[0].Bytes()
	place, err := e.Alloc(int64(max(len(in), len(out))))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, place.Close()) })

	return &feeding{ways: [4]func(rounds int) error{
		func(rounds int) error {
			next := func(yield func(ops.Feeds, error) bool) {
				for i := 0; i < rounds && yield(feeds, nil); i++ {
				}
			}
			for _, err := range fed.Each(ctx, next, ops.EachOptions{}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		func(rounds int) error {
			for range rounds {
				if err := fed.RunInto(ctx, feeds, outs); err != nil {
					return err
				}
			}
			return nil
		},
		func(rounds int) error { // links work in both directions at once: the longer counts
			for range rounds {
				if err := e.Write(ctx, place, 0, in); err != nil {
					return err
				}
			}
			return e.Wait(ctx)
		},
		func(rounds int) error {
			for range rounds {
				if _, err := compute.Run(ctx, nil); err != nil {
					return err
				}
			}
			return nil
		},
	}}
}

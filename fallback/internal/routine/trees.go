package routine

import (
	"context"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// Extents of the work on trees.
const (
	treeBlock = 256       // samples that go down a tree together, at most: it stays near for all of them
	treeKeys  = 512 << 10 // bytes of their keys, about
	treeChunk = 128       // trees that one worker walks for few samples
)

// treesTask walks samples down trees. Their features become keys first, feature
// by feature for a block of samples, so that ways side by side look at neighbours.
type treesTask[K int32 | int64, T float32 | float64] struct {
	routine
	*engine.Trees
	x, y, weights   []T
	nodes           []treeNode[K]
	roots           []int32
	starts, targets []int32
	keyOf           func(dst []K, shift uint, row []T)
	largest         K
	single          bool  // a leaf has one weight, a result one number
	shift           uint  // a block is 1<<shift samples
	blocks          int64 // of samples; of chunks of trees for few samples
	keys, sums      int   // reserved for each worker
	parts           int   // reserved and shared: sums of each chunk
	work            work.Job
}

func newTrees(c *work.Setup, a *engine.Trees) (work.Runner, error) {
	switch dt := c.Task.Ins[0].DType; dt {
	case tensor.Float32:
		return makeTrees(c, a, math.MaxInt32, func(dst []int32, shift uint, row []float32) {
			for f, v := range row {
				dst[f<<(shift&31)] = engine.FloatKey32(v)
			}
		}), nil
	case tensor.Float64:
		return makeTrees(c, a, math.MaxInt64, func(dst []int64, shift uint, row []float64) {
			for f, v := range row {
				dst[f<<(shift&31)] = engine.FloatKey64(v)
			}
		}), nil
	default:
		return nil, fmt.Errorf("trees of %v: %w", dt, engine.ErrUnsupported)
	}
}

func makeTrees[K int32 | int64, T float32 | float64](c *work.Setup, a *engine.Trees, largest K,
	keyOf func(dst []K, shift uint, row []T)) work.Runner {
	x := &treesTask[K, T]{Trees: a, largest: largest, keyOf: keyOf, single: a.Targets == 1 && a.Weights == a.Leaves}
	perSample := 2*float64(a.Features) + 1.3*a.Steps + 4*float64(a.Count)
	x.routine = routineOf(c, 50+float64(a.Samples)*perSample, "eight ways side by side")
	size := int64(c.Task.Ins[0].DType.Size())
	for x.shift = 8; x.shift > 3 && (a.Samples*2 <= int64(c.Width)<<x.shift || 2*a.Features*size<<x.shift > treeKeys); {
		x.shift--
	}
	block := int64(1) << x.shift
	x.blocks, x.work = (a.Samples+block-1)/block, x.samples
	if x.few() {
		x.blocks, x.work = (a.Count+treeChunk-1)/treeChunk, x.chunk
		x.parts = c.ReserveShared(int(x.blocks*x.sumsOf(a.Samples)) * 8)
		x.shift, block = 0, 1
	}
	x.keys = c.Reserve(int(2 * a.Features * size * block))
	x.sums = c.Reserve(int(x.sumsOf(block)) * 8)
	if !c.Dry {
		x.x, x.y, x.weights = work.Typed[T](c.Ins[0]), work.Typed[T](c.Outs[0]), work.Typed[T](c.Ins[5])
		x.nodes, x.roots = work.Typed[treeNode[K]](c.Ins[1]), work.Typed[int32](c.Ins[2])
		x.starts, x.targets = work.Typed[int32](c.Ins[3]), work.Typed[int32](c.Ins[4])
	}
	return x
}

// few reports whether there are fewer samples than ways to go side by side: then each
// goes down several trees at once.
func (x *treesTask[K, T]) few() bool { return x.Samples < treeLanes }

// sumsOf is how many numbers n samples need: the sums, and for an extreme
// whether there is one.
func (x *treesTask[K, T]) sumsOf(n int64) int64 { return 2 * n * x.Targets }

func (x *treesTask[K, T]) Run(ctx context.Context, p *work.Pool) error {
	if x.Samples*x.Targets == 0 {
		return ctx.Err()
	}
	if err := p.Run(ctx, x.blocks, x.wide, x.work); err != nil || !x.few() {
		return err
	}
	n := x.sumsOf(x.Samples)
	sums := work.Scratch[float64](x.env, 0, x.sums, int(x.sumsOf(1)))
	for s := range x.Samples {
		clear(sums)
		for i := range x.blocks {
			x.merge(sums, work.Shared[float64](x.env, x.parts, int(x.blocks*n))[i*n+s*2*x.Targets:][:2*x.Targets])
		}
		x.store(s, sums)
	}
	return ctx.Err()
}

// load makes the keys of n samples from from on. Where a node sends NaN left, it
// asks for a feature of the second half.
func (x *treesTask[K, T]) load(keys []K, from, n int64) {
	for s := range n {
		x.keyOf(keys[s:], x.shift, x.x[(from+s)*x.Features:][:x.Features])
	}
	half := x.Features << x.shift
	for i, k := range keys[:half] {
		if k == x.largest {
			k = ^k // the smallest
		}
		keys[half+int64(i)] = k
	}
}

// samples takes a block of them down all trees.
func (x *treesTask[K, T]) samples(worker int, i int64) {
	from := i << x.shift
	n := min(int64(1)<<x.shift, x.Samples-from)
	keys := work.Scratch[K](x.env, worker, x.keys, 2*x.Features<<x.shift)
	x.load(keys, from, n)
	sums := work.Scratch[float64](x.env, worker, x.sums, int(x.sumsOf(1<<x.shift)))
	clear(sums)
	var at [treeLanes]int32
	for t := range x.Count {
		root, depth := x.roots[2*t], x.roots[2*t+1]
		for s := int64(0); s < n; s += treeLanes {
			for l := range at {
				at[l] = root
			}
			walk(x.nodes, keys[s:], x.shift, 1, &at, depth)
			if x.single && x.Aggregate <= engine.AggregateMean {
				for l := range at {
					sums[2*(s+int64(l))] += float64(x.weights[x.nodes[at[l]].leaf])
				}
				continue
			}
			for l, end := range at[:min(treeLanes, n-s)] {
				x.add(sums[(s+int64(l))*2*x.Targets:][:2*x.Targets], x.nodes[end].leaf)
			}
		}
	}
	for s := range n {
		x.store(from+s, sums[s*2*x.Targets:][:2*x.Targets])
	}
}

// chunk takes every sample down some of the trees.
func (x *treesTask[K, T]) chunk(worker int, i int64) {
	keys := work.Scratch[K](x.env, worker, x.keys, 2*x.Features)
	n := x.sumsOf(x.Samples)
	parts := work.Shared[float64](x.env, x.parts, int(x.blocks*n))[i*n:][:n]
	clear(parts)
	first, end := i*treeChunk, min((i+1)*treeChunk, x.Count)
	var at [treeLanes]int32
	for s := range x.Samples {
		x.load(keys, s, 1)
		for t := first; t < end; t += treeLanes {
			depth := int32(0)
			for l := range at {
				tree := min(t+int64(l), end-1)
				at[l], depth = x.roots[2*tree], max(depth, x.roots[2*tree+1])
			}
			walk(x.nodes, keys, 0, 0, &at, depth)
			for _, end := range at[:min(treeLanes, end-t)] {
				x.add(parts[s*2*x.Targets:][:2*x.Targets], x.nodes[end].leaf)
			}
		}
	}
}

// add enters the weights of a leaf in the sums of a sample.
func (x *treesTask[K, T]) add(sums []float64, leaf int32) {
	for w := x.starts[leaf]; w < x.starts[leaf+1]; w++ {
		x.enter(sums, int64(x.targets[w]), float64(x.weights[w]))
	}
}

func (x *treesTask[K, T]) enter(sums []float64, target int64, v float64) {
	met := &sums[x.Targets+target]
	switch sum := &sums[target]; {
	case x.Aggregate <= engine.AggregateMean:
		*sum += v
	case *met == 0, x.Aggregate == engine.AggregateMin && v < *sum, x.Aggregate == engine.AggregateMax && v > *sum:
		*sum = v
	}
	*met = 1
}

// merge enters the sums of some trees in those of all.
func (x *treesTask[K, T]) merge(sums, part []float64) {
	for t := range x.Targets {
		if part[x.Targets+t] != 0 {
			x.enter(sums, t, part[t])
		}
	}
}

func (x *treesTask[K, T]) store(sample int64, sums []float64) {
	for t, v := range sums[:x.Targets] {
		if x.Aggregate == engine.AggregateMean && x.Count > 0 {
			v /= float64(x.Count)
		}
		x.y[sample*x.Targets+int64(t)] = T(v)
	}
}

package optest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Compiling is what takes time on a device: a tenth of a second and more for
// each kernel, and the matrix has thousands of cells. A bundle runs cells of
// many ops as one kernel.
//
//   - An element-wise op computes one element from one element, so all its
//     samples are one vector: the values of all operands, broadcast on the host
//     and put one after the other.
//   - The results of several such ops, or of views, are concatenated, which
//     graphs fold into the expression of one task.
//
// What a bundle does not show is the kernel that an op has on its own, with
// operands that broadcast or are transposed. Exemplars do that for the rest.

// exemplars are the element-wise ops that run every sample on its own, in
// their main dtype, on an engine that bundles.
var exemplars = []string{"add", "exp", "less", "where"}

// bundleBuffers bounds the operands of a bundle: graphs fuse no more.
const bundleBuffers = 10

// unit is a part of a bundle: one node, and the cells whose results it holds
// one after the other.
type unit struct {
	cells  []*cell
	vector bool
}

// bundle is a list of units with results of one dtype.
type bundle struct {
	units []unit
	once  sync.Once
	done  map[*cell]cellResult
	err   error
	told  atomic.Bool // err has been reported
}

// bundler sorts cells into bundles.
type bundler struct {
	o    *Options
	of   map[*cell]*bundle
	open map[string]*bundle // by what its units have in common
	used map[*bundle]int    // operands
}

func newBundler(o *Options) *bundler {
	return &bundler{o: o, of: map[*cell]*bundle{}, open: map[string]*bundle{}, used: map[*bundle]int{}}
}

// elementwise reports whether every element of op's result depends on one
// element of each operand.
func elementwise(op *ops.Op) bool {
	return op.Scalar != nil && len(op.Operands) > 0 || slices.Contains([]string{"clip", "leaky_relu", "elu"}, op.Name)
}

// bundled reports whether cells of op can be part of a bundle.
func bundled(op *ops.Op) bool {
	return elementwise(op) || specs[op.Name].Tolerance.Moves && len(op.Operands) > 0
}

// add enters the cells of an op in one dtype.
func (b *bundler) add(op *ops.Op, all []*cell) {
	if !bundled(op) {
		return
	}
	if slices.Contains(exemplars, op.Name) && len(all) > 0 && all[0].dt == mainDType(op) {
		return
	}
	vectors := map[string]*unit{}
	var order []string
	for _, c := range all {
		if c.sample.Through != nil {
			continue
		}
		if !elementwise(op) {
			if b.o.kept(c) {
				b.place("view", unit{cells: []*cell{c}})
			}
			continue
		}
		key := fmt.Sprint(c.sample.Attr)
		if vectors[key] == nil {
			vectors[key] = &unit{vector: true}
			order = append(order, key)
		}
		vectors[key].cells = append(vectors[key].cells, c)
	}
	for _, key := range order {
		b.place("vector", *vectors[key])
	}
}

// place puts u in a bundle with room.
func (b *bundler) place(kind string, u unit) {
	g := ops.NewGraph("scratch") // only to learn the dtype of the result
	out := u.build(g, nil)
	// A device without doubles takes the bundles that have none.
	key := fmt.Sprint(kind, out.DType(), u.cells[0].dt == tensor.Float64)
	n := len(u.cells[0].sample.Operands)
	if b.open[key] == nil || b.used[b.open[key]]+n > bundleBuffers {
		b.open[key] = &bundle{}
	}
	target := b.open[key]
	target.units = append(target.units, u)
	b.used[target] += n
	for _, c := range u.cells {
		b.of[c] = target
	}
}

// build adds u to g and gives its results as one vector.
func (u *unit) build(g *ops.Graph, feeds ops.Feeds) *ops.Node {
	first := u.cells[0]
	if !u.vector {
		first.build(g)
		if feeds != nil {
			first.feed(feeds)
		}
		return ops.Reshape(first.out, -1)
	}
	joined := make([]Array, len(first.sample.Operands))
	for _, c := range u.cells {
		c.build(ops.NewGraph("scratch")) // for its values, and the shape of its result
		shape := c.out.Shape()
		for i, v := range c.values {
			x := FromTensor(v)
			if joined[i].Shape == nil {
				joined[i] = NewArray(x.DType, 0)
			}
			joined[i] = joined[i].append(pick(x, shape, func(at []int) int { return stretched(x.Shape, at) }).Array)
		}
	}
	in := make([]*ops.Node, len(joined))
	for i, a := range joined {
		in[i] = g.Input(fmt.Sprintf("%s.%d", first.op.Name, i), a.DType, a.Shape...)
		if feeds != nil {
			feeds[in[i]] = a.Tensor()
		}
	}
	return first.sample.Build(in)
}

// append is a vector with the elements of b at its end.
func (a Array) append(b Array) Array {
	a.F, a.I, a.U = append(a.F, b.F...), append(a.I, b.I...), append(a.U, b.U...)
	a.Shape = []int{a.Shape[0] + b.Len()}
	return a
}

// run computes the bundle, once.
func (b *bundle) run(ctx context.Context, rt *ops.Runtime) (map[*cell]cellResult, error) {
	b.once.Do(func() { b.done, b.err = b.compute(ctx, rt) })
	return b.done, b.err
}

func (b *bundle) compute(ctx context.Context, rt *ops.Runtime) (map[*cell]cellResult, error) {
	start := time.Now()
	g := ops.NewGraph("bundle")
	feeds := ops.Feeds{}
	var parts []*ops.Node
	var all []*cell
	for i := range b.units {
		parts = append(parts, b.units[i].build(g, feeds))
		all = append(all, b.units[i].cells...)
	}
	exe, err := g.Compile(naming(ctx, "bundle\n", all), rt, ops.Target{Outputs: []*ops.Node{ops.Concat(0, parts...)}})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	done := map[*cell]cellResult{}
	took := time.Since(start) / time.Duration(len(all))
	from := 0
	for _, u := range b.units {
		for _, c := range u.cells {
			shape := c.out.Shape()
			r := cellResult{seen: c.values, took: took}
			r.out, err = outs[0].Slice(0, from, from+count(shape), 1)
			if err == nil {
				r.out, err = r.out.Reshape(shape...)
			}
			if err != nil {
				return nil, err
			}
			from += count(shape)
			done[c] = r
		}
	}
	return done, nil
}

// Of how many samples one is taken in a dtype that is not main.
const (
	thinning    = 6
	fewThinning = 10
)

// kept chooses what runs, beside the vectors of element-wise ops, on an engine
// that bundles: every sample in the op's main dtype, and in every other dtype
// one sample in six, or in ten, or at least one, other ones for each dtype. Of element-wise
// ops exemplars are enough.
func (o *Options) kept(c *cell) bool {
	main := c.dt == mainDType(c.op)
	if elementwise(c.op) {
		return main && slices.Contains(exemplars, c.op.Name)
	}
	n := thinning
	if o.Few {
		n = fewThinning
	}
	return main || (c.number+int(c.dt))%min(n, len(Samples(c.op.Name))) == 0
}

// mainDType is float32, where the op takes it.
func mainDType(op *ops.Op) tensor.DType {
	if slices.Contains(op.DTypes, tensor.Float32) {
		return tensor.Float32
	}
	return op.DTypes[0]
}

package optest

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Compiling takes most of the time on a device: a tenth of a second and more for
// each kernel, and the matrix has thousands of cells. A bundle runs cells of
// many ops as one graph, so that their kernels are compiled as few programs.
//
//   - An element-wise op computes one element from one element, so all its
//     samples are one vector: the values of all operands, broadcast on the host
//     and put one after the other.
//   - Ops whose samples have the same operands get the same values, so that graphs make one
//     kernel with several results of several ops.
//   - Views, and with [Options.Join] all other ops, are parts of one graph, each with a
//     result of its own.
//
// A bundle does not test the kernel that an op has on its own, with
// operands that broadcast or are transposed. Exemplars test that for all ops.

// exemplars are the element-wise ops that run every sample on its own, in
// their main dtype, on an engine that bundles.
var exemplars = []string{"add", "exp", "less", "where"}

// bundleUnits bounds a bundle: an error in one unit makes all units compile again one by one.
const bundleUnits = 36

// unit is a part of a bundle: one node, and the cells whose results it holds
// one after the other.
type unit struct {
	cells  []*cell
	vector bool
}

// bundle is a list of units, all vectors of the same operands or none a vector.
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
	open map[string]*bundle // by the key that its units share
}

func newBundler(o *Options) *bundler {
	return &bundler{o: o, of: map[*cell]*bundle{}, open: map[string]*bundle{}}
}

// add enters the cells of an op in one dtype.
func (b *bundler) add(op *ops.Op, all []*cell) {
	vectors := map[string]*unit{}
	var order []string
	for _, c := range all {
		switch {
		case elementwise(op) && b.o.Few && !stands(op, c.dt):
		case elementwise(op) && c.sample.Through == nil && !exemplar(c):
			key := fmt.Sprint(c.sample.Attr)
			if vectors[key] == nil {
				vectors[key] = &unit{vector: true}
				order = append(order, key)
			}
			vectors[key].cells = append(vectors[key].cells, c)
		case b.o.kept(c) && b.o.Join && op.Category != "random" && !drawing[op.Name] &&
			!leftToCPU(op): // numbers depend on what else a graph draws
			b.place(fmt.Sprint("ops in ", c.dt), unit{cells: []*cell{c}})
		case b.o.kept(c) && !elementwise(op) && c.sample.Through == nil && spec.Of(op.Name).Tolerance.Moves && len(op.Operands) > 0:
			b.place("views", unit{cells: []*cell{c}})
		}
	}
	for _, key := range order {
		u := vectors[key]
		b.place(fmt.Sprint(all[0].dt, u.sameValues()), *u)
	}
}

// exemplar reports whether c runs as a kernel of its own.
func exemplar(c *cell) bool { return slices.Contains(exemplars, c.op.Name) && c.dt == mainDType(c.op) }

// sameValues makes the values of u those of every unit for which it returns the same.
func (u *unit) sameValues() string {
	var operands strings.Builder
	for _, c := range u.cells {
		fmt.Fprintf(&operands, "%+v\n", c.sample.Operands)
	}
	for i, c := range u.cells {
		c.seed = []string{"vector", fmt.Sprint(i)}
	}
	return operands.String()
}

// place puts u in a bundle with room.
func (b *bundler) place(kind string, u unit) {
	c := u.cells[0]
	c.build(ops.NewGraph("scratch")) // only to learn the dtype of the result
	// A device without doubles takes the bundles that have none.
	key := fmt.Sprint(kind, c.dt == tensor.Float64 || c.out.DType() == tensor.Float64)
	if b.open[key] == nil || len(b.open[key].units) == bundleUnits {
		b.open[key] = &bundle{}
	}
	target := b.open[key]
	target.units = append(target.units, u)
	for _, c := range u.cells {
		b.of[c] = target
	}
}

// operands returns the operands of u's cells, broadcast and put one after the other.
func (u *unit) operands() []spec.Array {
	vectors := make([]spec.Array, len(u.cells[0].sample.Operands))
	for _, c := range u.cells {
		shape := c.out.Shape()
		for i, v := range c.values {
			x := spec.FromTensor(v)
			if vectors[i].Shape == nil {
				vectors[i] = spec.NewArray(x.DType, 0)
			}
			vectors[i] = reference.Joined(vectors[i], reference.Pick(x, shape, func(at []int) int { return reference.Stretched(x.Shape, at) }).Array)
		}
	}
	return vectors
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
	var outputs, operands []*ops.Node
	var all []*cell
	for i := range b.units {
		u := &b.units[i]
		all = append(all, u.cells...)
		if first := u.cells[0]; !u.vector {
			first.build(g)
			first.feed(feeds)
			outputs = append(outputs, first.out)
			if first.sample.Through != nil {
				outputs = append(outputs, first.seen...)
			}
			continue
		}
		for _, c := range u.cells {
			c.build(ops.NewGraph("scratch")) // for its values, and the shape of its result
		}
		if operands == nil {
			for i, a := range u.operands() {
				x := g.Input(fmt.Sprint("operand ", i), a.DType, a.Shape...)
				operands, feeds[x] = append(operands, x), a.Tensor()
			}
		}
		outputs = append(outputs, u.cells[0].sample.Build(operands))
	}
	exe, err := g.Compile(naming(ctx, "bundle\n", all), rt, ops.Target{Outputs: outputs})
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
	for _, u := range b.units {
		out := outs[0]
		outs = outs[1:]
		if !u.vector {
			c := u.cells[0]
			r := cellResult{out: out, seen: c.values, took: took}
			if n := len(c.seen); c.sample.Through != nil {
				r.seen, outs = outs[:n], outs[n:]
			}
			done[c] = r
			continue
		}
		from := 0
		for _, c := range u.cells {
			shape := c.out.Shape()
			r := cellResult{seen: c.values, took: took}
			r.out, err = out.Slice(0, from, from+spec.Count(shape), 1)
			if err == nil {
				r.out, err = r.out.Reshape(shape...)
			}
			if err != nil {
				return nil, err
			}
			from += spec.Count(shape)
			done[c] = r
		}
	}
	return done, nil
}

// One sample in this many runs in a dtype that is not the main one.
const thinning = 6

// kept chooses the cells that run, beside the vectors of element-wise ops, on an engine
// that bundles: every sample in the op's main dtype, and in every other dtype
// one sample in six, or at least one, other ones for each dtype. Of element-wise ops exemplars are enough. With Few,
// compositions run every third sample, and in one other dtype, and samples of other ops take turns in all dtypes, of which one stands
// for those that are alike.
func (o *Options) kept(c *cell) bool {
	main := c.dt == mainDType(c.op)
	switch {
	case c.elsewhere:
		return false
	case elementwise(c.op):
		return exemplar(c)
	case o.Few && isComposition(c.op) && main:
		return ofFew(c)
	case o.Few && isComposition(c.op):
		return turn(c) && oneIn(c, fewThinning)
	case o.Few:
		return c.dt == c.home() || !main && stands(c.op, c.dt) && oneIn(c, c.column)
	}
	return main || oneIn(c, thinning)
}

// fewThinning is thinning with Few.
const fewThinning = 10

// oneIn reports whether c is the one in n samples, or in all if there are fewer, that its dtype takes.
func oneIn(c *cell, n int) bool { return (c.at+int(c.dt))%min(n, c.column) == 0 }

// alike are dtypes whose kernels differ by their loads and stores, or by the width of numbers, alone. Tests of casts have them all.
var alike = [][]tensor.DType{{tensor.Float16, tensor.BFloat16}, {tensor.Int8, tensor.Int16}, {tensor.Uint8, tensor.Uint16},
	{tensor.Uint32, tensor.Uint64}}

// stands reports whether op runs in dt with Few: of those that are alike in one, not the same one for all ops.
func stands(op *ops.Op, dt tensor.DType) bool {
	for _, class := range alike {
		if !slices.Contains(class, dt) || dt == mainDType(op) {
			continue
		}
		taken := slices.DeleteFunc(DTypes(op), func(dt tensor.DType) bool { return !slices.Contains(class, dt) })
		return dt == taken[hashOf(op.Name)%uint32(len(taken))]
	}
	return true
}

// manySamples is the most of which an op runs all in its main dtype with Few.
const manySamples = 8

// home is the dtype in which the sample of c runs in any case: the main one of the op, or, of two samples in three where they are many,
// one of the others that the sample is meant for, which take turns. So a device meets every sample, and not all of them in one dtype.
func (c *cell) home() tensor.DType {
	others := slices.DeleteFunc(DTypes(c.op), func(dt tensor.DType) bool {
		return dt == mainDType(c.op) || c.sample.Only != nil && !slices.Contains(c.sample.Only, dt)
	})
	if len(others) == 0 || c.number%3 == 0 || len(spec.Samples(c.op.Name)) <= manySamples {
		return mainDType(c.op)
	}
	return others[c.number%len(others)]
}

// ofFew reports whether c is among the samples of a composition that run with Few.
func ofFew(c *cell) bool { return c.at%3 == 0 }

// isComposition reports whether an op consists of others. It has no kernels of its own, and theirs run in all dtypes.
func isComposition(op *ops.Op) bool { return op.Compose != nil || op.ComposeAll != nil }

// turn reports whether the dtype of c, which is not the main one of a composition, is the other one that it runs in.
func turn(c *cell) bool {
	others := slices.DeleteFunc(DTypes(c.op), func(dt tensor.DType) bool { return dt == mainDType(c.op) })
	return slices.Index(others, c.dt) == int(hashOf(c.op.Name)%uint32(len(others)))
}

// hashOf chooses among alternatives by a name.
func hashOf(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// mainDType is float32, where the op takes it.
func mainDType(op *ops.Op) tensor.DType {
	if slices.Contains(DTypes(op), tensor.Float32) {
		return tensor.Float32
	}
	return op.DTypes[0]
}

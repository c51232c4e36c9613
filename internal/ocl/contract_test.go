package ocl

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// view is an operand of a test: a load with one stride an axis of the task.
type view struct {
	dt      tensor.DType
	offset  int64
	strides []int64 // by axis: batch, m, n, k
	len     int64
}

// dense lays the given axes of dims out in that order, the last the fastest.
func dense(dt tensor.DType, dims []int, order ...int) view {
	v := view{dt: dt, strides: make([]int64, len(dims)), len: 1}
	for i := len(order) - 1; i >= 0; i-- {
		v.strides[order[i]] = v.len
		v.len *= int64(dims[order[i]])
	}
	return v
}

func (v view) index() *engine.Index {
	x := engine.ConstIndex(v.offset)
	for a, s := range v.strides {
		x = x.Add(engine.AxisIndex(a).Mul(s))
	}
	return x
}

// product is the contraction of two views, its accumulator cast to out.
func product(groups [4]int, dims []int, a, b view, out tensor.DType) *engine.Task {
	t := &engine.Task{
		Kind: engine.Contract, Name: "matmul", Axes: dims, Groups: groups[:],
		Ins: []engine.Operand{{DType: a.dt, Len: a.len}, {DType: b.dt, Len: b.len}},
		A:   engine.Load(0, a.dt, a.index(), nil),
		B:   engine.Load(1, b.dt, b.index(), nil),
		Acc: engine.AccType(a.dt),
	}
	t.Values = []*engine.Expr{engine.Acc(0, t.Acc)}
	if out != t.Acc {
		t.Values[0] = engine.Apply(cast, out, t.Values[0])
	}
	t.Outs = []engine.Operand{{DType: out, Len: t.Size(0) * t.Size(1) * t.Size(2)}}
	return t
}

// matmul is batch x m x n x k with A [b][m][k] (ta: [b][k][m]) and B [b][k][n] (tb: [b][n][k]).
func matmul(dt tensor.DType, b, m, n, k int, ta, tb bool) *engine.Task {
	dims := []int{b, m, n, k}
	va, vb := dense(dt, dims, 0, 1, 3), dense(dt, dims, 0, 3, 2)
	if ta {
		va = dense(dt, dims, 0, 3, 1)
	}
	if tb {
		vb = dense(dt, dims, 0, 2, 3)
	}
	return product([4]int{1, 1, 1, 1}, dims, va, vb, dt)
}

// The scalar functions that tests fuse.
var (
	cast = &engine.Scalar{Name: "cast", Arity: 1, OpenCL: "$cast(a)", Host: func(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
		hostOf(func(a, _ float64) float64 {
			switch out {
			case tensor.Float16:
				return tensor.HalfFrom64(a).Float64()
			case tensor.BFloat16:
				return tensor.BF16From64(a).Float64()
			}
			return a
		})(out, in, dst, args)
	}}
	add  = &engine.Scalar{Name: "add", Arity: 2, OpenCL: "a + b", Host: hostOf(func(a, b float64) float64 { return a + b }), Flops: 1}
	mul  = &engine.Scalar{Name: "mul", Arity: 2, OpenCL: "a * b", Host: hostOf(func(a, b float64) float64 { return a * b }), Flops: 1}
	relu = &engine.Scalar{Name: "relu", Arity: 1, OpenCL: "fmax(a, ($T)0)", Host: hostOf(func(a, _ float64) float64 { return max(a, 0) }), Flops: 1}
)

// hostOf is a host function for small numbers, of which each class is exact in float64.
func hostOf(f func(a, b float64) float64) func(tensor.DType, []tensor.DType, engine.Block, []engine.Block) {
	at := func(b engine.Block, i int) float64 {
		switch {
		case b.F32 != nil:
			return float64(b.F32[i])
		case b.F64 != nil:
			return b.F64[i]
		case b.I64 != nil:
			return float64(b.I64[i])
		default:
			return float64(b.U64[i])
		}
	}
	return func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		n := max(len(dst.F32), len(dst.F64), len(dst.I64), len(dst.U64))
		for i := range n {
			var b float64
			if len(args) > 1 {
				b = at(args[1], i)
			}
			v := f(at(args[0], i), b)
			switch {
			case dst.F32 != nil:
				dst.F32[i] = float32(v)
			case dst.F64 != nil:
				dst.F64[i] = v
			case dst.I64 != nil:
				dst.I64[i] = int64(v)
			default:
				dst.U64[i] = uint64(v)
			}
		}
	}
}

// randomInputs are floats in [-1, 1) and integers of either sign in [-9, 9].
func randomInputs(t *engine.Task, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 77))
	var ins [][]byte
	for _, o := range t.Ins {
		var b []byte
		for range o.Len {
			f := r.Float64()*2 - 1
			switch o.DType {
			case tensor.Float16:
				b = binary.LittleEndian.AppendUint16(b, uint16(tensor.HalfFrom64(f)))
			case tensor.BFloat16:
				b = binary.LittleEndian.AppendUint16(b, uint16(tensor.BF16From64(f)))
			case tensor.Float32:
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
			case tensor.Float64:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
			case tensor.Bool:
				b = append(b, byte(r.IntN(2)))
			default:
				v := uint64(int64(f * 10))
				b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:o.DType.Size()]...)
			}
		}
		ins = append(ins, b)
	}
	return ins
}

// requireClose compares buffers of dt element by element. Integers are equal;
// floats differ by no more than terms roundings of a sum of that many terms.
func requireClose(t testing.TB, dt tensor.DType, terms int64, want, got []byte) {
	t.Helper()
	require.Len(t, got, len(want))
	eps := map[tensor.DType]float64{tensor.Float16: 1e-3, tensor.BFloat16: 8e-3, tensor.Float32: 1e-6, tensor.Float64: 1e-14}[dt]
	if eps == 0 {
		require.Equal(t, want, got)
		return
	}
	size := dt.Size()
	for i := 0; i < len(want); i += size {
		w, g := decode(dt, want[i:]), decode(dt, got[i:])
		if tol := eps*math.Abs(w) + math.Min(eps, 1e-6)*(1+math.Sqrt(float64(terms))); !(math.Abs(w-g) <= tol) {
			t.Fatalf("element %d: %v, not %v (%g apart)", i/size, g, w, math.Abs(w-g))
		}
	}
}

func decode(dt tensor.DType, b []byte) float64 {
	switch dt {
	case tensor.Float16:
		return tensor.Half(binary.LittleEndian.Uint16(b)).Float64()
	case tensor.BFloat16:
		return tensor.BF16(binary.LittleEndian.Uint16(b)).Float64()
	case tensor.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	default:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
}

// way is a plan that a test forces.
type way struct {
	name string
	plan func(t *engine.Task) (*variant.Plan, error)
}

// How many ways of running a task a test tries: each costs compilations.
type effort int

const (
	chosenWays  effort = iota // what is taken on a CPU, and the simplest
	eachKernel                // every kernel once
	everyOption               // every option that changes a kernel's text
)

// ways are plans that may run t.
func ways(t *engine.Task, e effort) []way {
	var ws []way
	add := func(from effort, name string, d *facts.Device, swap bool, f func(c *contract.Contraction) (*variant.Plan, error)) {
		if e >= from {
			ws = append(ws, way{name, func(t *engine.Task) (*variant.Plan, error) { return f(contract.Separate(d, access.Collapse(t), swap)) }})
		}
	}
	wide := cpuFacts(16)
	add(chosenWays, "item", wide, false, (*contract.Contraction).PlanItem)
	add(everyOption, "item swapped", wide, true, (*contract.Contraction).PlanItem)

	row := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			r := c.ChooseRow()
			if split {
				r.Split(c, 3)
			}
			return c.PlanRow(r)
		}
	}
	add(everyOption, "row cpu", wide, false, row(false))
	add(everyOption, "row cpu split", wide, false, row(true))
	add(everyOption, "row", gpuFacts(64), false, row(false))
	add(eachKernel, "row split", gpuFacts(64), true, row(true))

	dot := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			d := c.ChooseDot()
			if split {
				d.Split(c, 3)
			}
			return c.PlanDot(d)
		}
	}
	if contract.Separate(wide, access.Collapse(t), false).AlongK() {
		add(eachKernel, "dot", wide, false, dot(false))
		add(everyOption, "dot of 8 lanes", cpuFacts(8), true, dot(false))
		add(everyOption, "dot of 4 lanes split", cpuFacts(4), false, dot(true))
	}

	stream := func(splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			s := c.ChooseStream()
			if splits > 0 {
				s.Split(c, splits)
			}
			return c.PlanStream(s)
		}
	}
	if contract.Separate(wide, access.Collapse(t), false).StreamLegal() {
		add(eachKernel, "stream", wide, false, stream(0))
		add(everyOption, "stream of 4 lanes split", cpuFacts(4), false, stream(3))
	}
	if contract.Separate(wide, access.Collapse(t), true).StreamLegal() {
		add(eachKernel, "stream swapped split", wide, true, stream(2))
	}

	tile := func(split bool) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			t := c.ChooseTile()
			if split {
				t.Split(c, 3)
			}
			return c.PlanTile(t)
		}
	}
	add(everyOption, "tile", gpuFacts(256), false, tile(false))
	add(everyOption, "tile of groups of 64", gpuFacts(64), false, tile(false))
	add(everyOption, "tile of groups of 16", gpuFacts(16), false, tile(false))
	add(everyOption, "tile of groups of 1", gpuFacts(1), false, tile(false))
	add(eachKernel, "tile split", gpuFacts(64), true, tile(true))
	add(eachKernel, "tile in two stages", gpuFacts(256), false, func(c *contract.Contraction) (*variant.Plan, error) {
		t := c.ChooseTile()
		t.Shape.Stages = 2
		return c.PlanTile(t)
	})
	add(everyOption, "tile of single elements", gpuFacts(256), true, func(c *contract.Contraction) (*variant.Plan, error) {
		t := c.ChooseTile()
		t.Wide = false
		return c.PlanTile(t)
	})

	panel := func(packA, packB bool, limit, splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChoosePanel()
			p.PackA, p.PackB, p.Limit = p.PackA || packA, p.PackB || packB, limit
			p.Split(c, max(p.Splits, splits))
			return c.PlanPanel(p)
		}
	}
	block := func(splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChooseBlock()
			p.Lots = min(c.Batches, 2)
			if splits > 0 {
				p.Split(c, splits)
				p.Depth = min(p.Depth, p.Chunk)
			}
			return c.PlanBlock(p)
		}
	}
	little := func(lanes int) *facts.Device {
		d := cpuFacts(lanes)
		d.LocalMem = 8 << 10
		return d
	}
	add(chosenWays, "block", wide, false, block(0))
	add(eachKernel, "block swapped", wide, true, block(0))
	add(eachKernel, "block in steps", little(16), false, block(0))
	add(everyOption, "block in steps split", little(8), true, block(3))
	add(everyOption, "block of 4 lanes", cpuFacts(4), false, block(2))
	const roomy, tight = contract.PackBytes, 20 << 10
	add(chosenWays, "panel", wide, false, panel(false, false, roomy, 0))
	add(eachKernel, "panel swapped", wide, true, panel(false, false, roomy, 0))
	add(eachKernel, "panel packed split in blocks", wide, false, panel(true, true, tight, 4))
	add(everyOption, "panel packed", wide, true, panel(true, true, roomy, 0))
	add(everyOption, "panel packed in blocks", wide, false, panel(true, true, tight, 0))
	add(everyOption, "panel across, from afar", wide, false, func(c *contract.Contraction) (*variant.Plan, error) {
		p := c.ChoosePanel()
		p.Across, p.Far, p.Tiles = true, c.A.AlongK(), 2
		return c.PlanPanel(p)
	})
	add(everyOption, "panel packed b split", wide, true, panel(false, true, roomy, 3))
	far := *wide
	far.ForceWide = true
	add(everyOption, "panel with long positions", &far, false, panel(true, true, tight, 0))
	add(everyOption, "tile with long positions", &facts.Device{Name: "gpu", Units: 20, WorkGroup: 64, LocalMem: 32 << 10, ArgBytes: 1024, MaxAlloc: 1 << 30, FP64: true, ForceWide: true}, true, tile(true))
	add(everyOption, "panel of 8 lanes", cpuFacts(8), false, panel(false, false, roomy, 0))
	add(everyOption, "panel of 4 lanes packed split", cpuFacts(4), true, panel(true, true, tight, 4))
	return ws
}

// requireWays runs t in several ways and holds the outputs against the reference.
func requireWays(t *testing.T, task *engine.Task, e effort) {
	t.Helper()
	b := useBench(t)
	ins := randomInputs(task, 1)
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	for i, w := range ways(task, e) {
		if e < everyOption && !one(i+int(task.Acc)+task.Axes[1], 2) { // another task takes the others
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			p, err := w.plan(task)
			require.NoError(t, err)
			r := b.prepare(t, task, p, ins)
			r.run(t)
			requireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.read(t))
		})
	}
}

func TestEveryWayOfMultiplyingAgreesWithTheReference(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, s := range [][4]int{{1, 1, 1, 1}, {1, 67, 71, 53}, {2, 9, 130, 5}, {3, 1, 33, 200}, {1, 130, 1, 129}, {1, 16, 64, 32}, {1, 3, 5, 1500}} {
		for i := range 4 {
			if i != 0 && s[1] != 67 && s[0] != 2 {
				continue
			}
			ta, tb, e := i&1 != 0, i&2 != 0, chosenWays
			if s[1] == 67 && ta && tb {
				e = everyOption
			}
			t.Run(fmt.Sprintf("%v %v %v", s, ta, tb), func(t *testing.T) {
				t.Parallel()
				requireWays(t, matmul(tensor.Float32, s[0], s[1], s[2], s[3], ta, tb), e)
			})
		}
	}
}

func TestEveryDTypeMultiplies(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, dt := range tensor.DTypes() {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := chosenWays
			if dt == tensor.Float16 {
				e = eachKernel
			}
			requireWays(t, matmul(dt, 2, 19, 37, 41, false, false), e)
		})
	}
}

func TestStridesOffsetsAndBroadcastBatchesAreAddresses(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	dims := []int{3, 2, 10, 37, 21}
	g := [4]int{2, 1, 1, 1}
	// A: every second row and third column of a larger matrix, the first batch
	// axis broadcast; B: columns backwards, the second batch axis broadcast.
	a := view{tensor.Float32, 5, []int64{0, 4000, 140, 0, 3}, 8000}
	b := view{tensor.Float32, 36, []int64{21 * 37, 0, 0, -1, 37}, 3 * 21 * 37}
	t.Run("both", func(t *testing.T) { requireWays(t, product(g, dims, a, b, tensor.Float32), eachKernel) })
	b.strides[0] = 0
	t.Run("one b", func(t *testing.T) { requireWays(t, product(g, dims, a, b, tensor.Float32), chosenWays) })
	a.strides[1] = 0
	b.strides[0] = 21 * 37
	t.Run("one a", func(t *testing.T) { requireWays(t, product(g, dims, a, b, tensor.Float32), chosenWays) })
}

// convolution is a task over a padded image [images][groups·c][h][w] and weights
// [groups·o][c][kh][kw]; batch = groups, m = image, y, x, n = o, k = c, ky, kx.
func convolution(images, groups, c, h, w, o, kernel, stride, dilation int) *engine.Task {
	span := (kernel-1)*dilation + 1
	oh, ow := (h-span)/stride+1, (w-span)/stride+1
	dims := []int{groups, images, oh, ow, o, c, kernel, kernel}
	hw := int64(h * w)
	s, d := int64(stride), int64(dilation)
	image := view{tensor.Float32, 0, []int64{
		int64(c) * hw, int64(groups*c) * hw, s * int64(w), s, 0, hw, d * int64(w), d,
	}, int64(images*groups*c) * hw}
	weights := dense(tensor.Float32, dims, 0, 4, 5, 6, 7)
	return product([4]int{1, 3, 1, 3}, dims, image, weights, tensor.Float32)
}

func TestConvolutionsAreProductsOfWindows(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for name, task := range map[string]*engine.Task{
		"plain":     convolution(2, 1, 3, 9, 11, 33, 3, 1, 1),
		"strided":   convolution(1, 1, 5, 13, 12, 16, 3, 2, 1),
		"dilated":   convolution(1, 1, 2, 12, 14, 40, 3, 1, 2),
		"grouped":   convolution(2, 3, 4, 8, 8, 5, 3, 1, 1),
		"depthwise": convolution(1, 7, 1, 9, 9, 1, 3, 1, 1),
		"one by 1":  convolution(2, 1, 40, 5, 7, 34, 1, 1, 1),
		"one in":    convolution(3, 1, 1, 10, 10, 32, 5, 1, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := chosenWays
			if name == "dilated" {
				e = eachKernel
			}
			requireWays(t, task, e)
		})
	}
}

// weightGradient is m = c, ky, kx; n = o; k = image, y, x: few outputs, long sums.
func weightGradient(images, c, h, o int) *engine.Task {
	p := h + 2
	dims := []int{c, 3, 3, o, images, h, h}
	x := view{tensor.Float32, 0, []int64{int64(p * p), int64(p), 1, 0, int64(c * p * p), int64(p), 1}, int64(images * c * p * p)}
	return product([4]int{0, 3, 1, 3}, dims, x, dense(tensor.Float32, dims, 4, 5, 6, 3), tensor.Float32)
}

func TestWeightGradientsSplitTheirSum(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	requireWays(t, weightGradient(5, 2, 9, 33), eachKernel)
	c := contract.Separate(cpuFacts(16), access.Collapse(weightGradient(128, 1, 28, 32)), false)
	require.Greater(t, c.ChoosePanel().Splits, int64(1), "2 tiles must not be the work of one core each")
}

// channelGradient is m = o; n = c, ky, kx; k = image, y, x, with the channels of the
// padded image last: windows adjoin by tap and channel, and the result by channel
// and tap.
func channelGradient(images, c, h, o int) *engine.Task {
	p := h + 2
	dims := []int{o, c, 3, 3, images, h, h}
	x := view{tensor.Float32, 0, []int64{0, 1, int64(p * c), int64(c), int64(p * p * c), int64(p * c), int64(c)}, int64(images * c * p * p)}
	return product([4]int{0, 1, 3, 3}, dims, dense(tensor.Float32, dims, 4, 0, 5, 6), x, tensor.Float32)
}

func TestRunsOfColumnsAreReadWhereTheyLie(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for c, packs := range map[int]bool{5: true, 16: false, 18: false, 37: false} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			task := channelGradient(3, c, 7, 9)
			p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=panel")
			require.NoError(t, err)
			require.Equal(t, packs, strings.Contains(p.Params, "pack b"), p.Params)
			e := chosenWays
			if c == 18 {
				e = eachKernel
			}
			requireWays(t, task, e)
		})
	}
}

// Sums of few terms take no longer than storing them: whichever operand has the
// windows, runs of them lie in the lanes, as they do in the result.
func TestShortSumsAreStoredAsVectors(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	const images, o, h, w = 3, 20, 5, 28
	dims := []int{images, o, h, w, 3, 3}
	x := view{tensor.Float32, 0, []int64{(h + 2) * (w + 2), 0, w + 2, 1, w + 2, 1}, images * (h + 2) * (w + 2)}
	task := product([4]int{1, 1, 2, 2}, dims, dense(tensor.Float32, dims, 1, 4, 5), x, tensor.Float32)
	task.Ins[0].Steady = true
	p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=panel")
	require.NoError(t, err)
	require.Equal(t, "block 10x16", p.Params)
	requireWays(t, task, eachKernel)
}

// fused has a prologue on both operands, padding conditions, a gather, and an
// epilogue of bias, residual and activation; the residual is the output's memory.
func fused(dt tensor.DType) *engine.Task { return fusedOf(dt, 2, 21, 35, 40) }

func fusedOf(dt tensor.DType, b, m, n, k int) *engine.Task {
	dims := []int{b, m, n, k}
	x := func(v view) *engine.Index { return v.index() }
	t := product([4]int{1, 1, 1, 1}, dims, dense(dt, dims, 0, 1, 3), dense(dt, dims, 0, 3, 2), dt)
	out := dense(dt, dims, 0, 1, 2)
	t.Ins = append(t.Ins, engine.Operand{DType: dt, Len: int64(n)}, engine.Operand{DType: dt, Len: out.len}, engine.Operand{DType: tensor.Int32, Len: int64(k)})
	t.Alias = []int{3}
	// Rows above the first two are padding, as in a window over an image.
	inside := []engine.Cond{{X: engine.AxisIndex(1).Add(engine.AxisIndex(3)), Lo: 2, Hi: int64(m + k - 3)}}
	t.A = engine.Apply(mul, dt, engine.Load(0, dt, x(dense(dt, dims, 0, 1, 3)), inside), engine.Constant(dt, engine.Const{Float: 0.5, Int: 2}))
	// B's rows are gathered: row = idx[k] mod K.
	row := engine.DataIndex(engine.Load(4, tensor.Int32, engine.AxisIndex(3), nil)).Mod(int64(k), dims)
	t.B = engine.Load(1, dt, engine.AxisIndex(0).Mul(int64(n*k)).Add(row.Mul(int64(n))).Add(engine.AxisIndex(2)), nil)
	v := t.Values[0]
	v = engine.Apply(add, dt, v, engine.Load(2, dt, engine.AxisIndex(2), nil))
	v = engine.Apply(add, dt, v, engine.Load(3, dt, x(out), nil))
	if dt.IsFloat() {
		v = engine.Apply(relu, dt, v)
	}
	t.Values[0] = v
	return t
}

func TestPrologueAndEpilogueFuseIntoEveryWay(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Int32} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := chosenWays
			if dt == tensor.Float32 {
				e = eachKernel
			}
			requireWays(t, fused(dt), e)
		})
	}
}

func TestEmptySumIsTheEpilogueOfZero(t *testing.T) {
	t.Parallel()
	b := useBench(t)
	task := matmul(tensor.Float32, 1, 5, 6, 1, false, false)
	task.Axes[3] = 0
	task.Ins[0].Len, task.Ins[1].Len = 0, 0
	task.Values[0] = engine.Apply(add, tensor.Float32, task.Values[0], engine.Constant(tensor.Float32, engine.Const{Float: 3}))
	for _, force := range []string{"", "contract=panel", "contract=tile", "contract=row"} {
		p, err := variant.MakePlan(cpuFacts(16), nil, task, force)
		require.NoError(t, err)
		r := b.prepare(t, task, p, [][]byte{nil, nil})
		r.run(t)
		for i, got := 0, r.read(t); i < len(got); i += 4 {
			require.Equal(t, 3.0, decode(tensor.Float32, got[i:]))
		}
	}
}

func TestEmptyOutputLaunchesNothing(t *testing.T) {
	t.Parallel()
	for axis := range 3 {
		task := matmul(tensor.Float32, 2, 5, 6, 7, false, false)
		task.Axes[axis] = 0
		task.Outs[0].Len = 0
		p, err := variant.MakePlan(cpuFacts(16), nil, task, "")
		require.NoError(t, err)
		require.Empty(t, p.Launches)
	}
}

func TestNewSizesCompileNothingNew(t *testing.T) {
	t.Parallel()
	sources := func(task *engine.Task) string {
		p, err := variant.MakePlan(cpuFacts(16), nil, task, "")
		require.NoError(t, err)
		var b strings.Builder
		for _, l := range p.Launches {
			b.WriteString(l.Program.Text())
		}
		return b.String()
	}
	same := func(a, b string) { require.True(t, a == b, "the texts differ") }
	same(sources(matmul(tensor.Float32, 1, 500, 501, 502, false, true)), sources(matmul(tensor.Float32, 1, 611, 733, 97, false, true)))
	same(sources(convolution(4, 1, 16, 20, 20, 64, 3, 1, 1)), sources(convolution(9, 1, 8, 31, 31, 48, 5, 1, 1)))
}

package fft

import (
	_ "embed" // for kernels
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed passes.cl
var passesSource string

//go:embed lanes.cl
var lanesSource string

//go:embed step.cl
var kernelsSource string

//go:embed rows.cl
var rowsSource string

// stepSource is the program that all kernels here are of.
var stepSource = sync.OnceValue(func() string { return passesSource + lanesSource + kernelsSource + rowsSource })

const (
	stepMost  = 1024 // elements of a transform in one step at most, but of rows one by one
	stepPad   = 16   // numbers behind tables that vectors may read
	stepGroup = 128  // items of a group on GPUs
	stepRoom  = 1024 // numbers in each of four buffers there, within 32 KiB in float64
	stepItems = 64   // items on CPUs, about
)

// stepAttr has the extents too: the operand may have any shape of as many elements, which is that of the result, so that no other view
// of it is needed.
type stepAttr struct {
	Batch, M, Lines int
	Inner           int  `doc:"how many lines have the same factor, and stay together"`
	Turned          bool `doc:"results are turned, and multiplied by factors"`
	Conjugate       bool `doc:"of the other sign"`
	From            int  `doc:"elements of a row of x, which are multiplied by those of before and followed by zeros; 0: all, not multiplied"`
	To              int  `doc:"first elements of a row that are results, multiplied by those of turns; 0: all, not multiplied"`
}

// extents returns the numbers of elements of a row of x and of a row of the result.
func (a *stepAttr) extents() (from, to int) {
	from, to = a.M*a.Lines, a.M*a.Lines
	if a.From > 0 {
		from = a.From
	}
	if a.To > 0 {
		to = a.To
	}
	return from, to
}

// scaling has the factors of the elements of rows before a transform and after it. Their number is the number of elements of a row of the
// operand or of the result; nil: all elements, not multiplied.
type scaling struct{ before, after []complex128 }

// step is x, [batch, m, lines] pairs in memory, with m elements transformed, as step.cl has it: [batch, m, lines], or turned
// [batch, lines/inner, m, inner].
func step(x *ops.Node, a stepAttr, by scaling) *ops.Node {
	m, others := a.M, a.Lines/max(a.Inner, 1)
	roots := make([]float64, 2*m)
	for k := range m {
		w := root(k, m)
		roots[2*k], roots[2*k+1] = real(w), imag(w)
	}
	r := constant(x, roots, 2*m)
	turns, before := r, r
	switch {
	case a.Turned:
		n, of := turnsOf(m, others)
		turns = planes(x, n, of)
	case by.after != nil:
		turns = planesOf(x, m*a.Lines, by.after)
	case a.rowByRow(x.DType()) && by.before == nil:
		table := rowTurns(m, rowLanes(x.DType()))
		turns = constant(x, table, len(table))
	}
	if by.before != nil {
		before = planesOf(x, m*a.Lines, by.before)
	}
	a.From, a.To = len(by.before), len(by.after)
	return ops.Apply("fft.step", a, x, r, turns, before)
}

// planes are the real parts of n numbers and then the imaginary ones, each with what vectors may read behind them.
func planes(like *ops.Node, n int, of func(i int) complex128) *ops.Node {
	table := planeNumbers(n, of)
	return constant(like, table, len(table))
}

func planeNumbers(n int, of func(i int) complex128) []float64 {
	half := n + stepPad
	table := make([]float64, 2*half)
	for i := range n {
		w := of(i)
		table[i], table[half+i] = real(w), imag(w)
	}
	return table
}

// turnsOf are the roots by which results of m elements of a row are multiplied, where others such transforms follow.
func turnsOf(m, others int) (n int, of func(i int) complex128) {
	return m * others, func(i int) complex128 { return root(i/others*(i%others), m*others) }
}

// planesOf are planes of n numbers, which zeros continue.
func planesOf(like *ops.Node, n int, numbers []complex128) *ops.Node {
	return planes(like, n, func(i int) complex128 {
		if i < len(numbers) {
			return numbers[i]
		}
		return 0
	})
}

var _ = ops.MustDefine(ops.Op{
	Name: "fft.step", Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[stepAttr](),
	Operands: []ops.Operand{{Name: "x"}, {Name: "roots"}, {Name: "turns"}, {Name: "before"}},
	NoGrad:   "fft.FFT has it",
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		a, s := c.Attr.(stepAttr), c.Shape(0)
		from, to := a.extents()
		if a.Batch < 0 || a.M < 1 || a.M > stepMost && !a.rowByRow(c.DType(0)) || a.Lines < 0 || a.Inner < 1 || a.Lines%a.Inner != 0 ||
			max(from, to) > a.M*a.Lines || a.Turned && a.To > 0 || ir.Product(s) != 2*a.Batch*from {
			return nil, 0, fmt.Errorf("x is %v, of which there are no transforms of %+v", s, a)
		}
		if from != to {
			if n := len(s); n < 2 || s[n-2] != from {
				return nil, 0, fmt.Errorf("x is %v, whose rows are not of %d pairs", s, from)
			}
			s = slices.Clone(s)
			s[len(s)-2] = to
		}
		return s, c.DType(0), nil
	},
	Kernel: stepKernel,
})

// blocks is the number of groups of the given number of transforms side by side.
func (a *stepAttr) blocks(wide int) int {
	if a.Lines == 1 {
		return (a.Batch + wide - 1) / wide
	}
	return a.Batch * ((a.Lines + wide - 1) / wide)
}

func stepKernel(c *ops.Call) ops.KernelOptions {
	a := c.Attr.(stepAttr)
	s := &a
	lanes, most := lanesOf(c.DType(0)), factor
	if s.M > most {
		most = stepMost // a quarter of a megabyte on the stack of a thread
	}
	passes, rows := radices(s.M), s.rowByRow(c.DType(0))
	if rows {
		passes = append(radices(s.M/rowLanes(c.DType(0))), rowLanes(c.DType(0)))
	}
	blocks, cols := s.blocks(lanes), max(1, stepRoom/s.M)
	if cols = min(cols, 32); s.Lines > 1 {
		cols = min(cols, s.Lines)
	}
	each, whole := max(1, blocks/stepItems), s.Lines >= lanes && s.Batch >= stepItems/4
	if whole {
		across := (s.Lines + lanes - 1) / lanes
		each = max(1, s.Batch/stepItems) * across
	}
	number := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	from, to := s.extents()
	large := float64(s.Batch)*float64(from+to)*float64(c.DType(0).Size()) > manyBytes // half of what is read and written
	k := kernelOf(c.DType(0), "step_group", most)
	k.Args = []any{
		int32(s.Batch), int32(s.M), int32(s.Lines), int32(s.Inner), number(s.Turned), packed(passes), number(s.Conjugate),
		number(s.From > 0) + 2*number(s.To > 0), int32(from), int32(to), int32(blocks), int32(each), number(whole), number(large), int32(cols),
	}
	k.Global, k.Local = [3]int{s.blocks(cols) * stepGroup}, [3]int{stepGroup}
	k.CPU.Entry, k.CPU.Global, k.CPU.Local = "step_vectors", [3]int{(blocks + each - 1) / each}, [3]int{1}
	if rows {
		s.setRows(c.DType(0), &k)
	}
	if k.Host = hostStepOf(s, c.DType(0)); s.M > stepMost {
		k.Host = hostRows(s, c.DType(0))
	}
	return k
}

// hostStepOf is the function that runs a step on the host.
func hostStepOf(s *stepAttr, dt tensor.DType) func(outs, ins []*tensor.Tensor) error {
	if dt == tensor.Float64 {
		return hostOf[float64](s)
	}
	return hostOf[float32](s)
}

// lanesOf is how many transforms a vector of a CPU holds.
func lanesOf(dt tensor.DType) int {
	if dt == tensor.Float64 {
		return 8
	}
	return 16
}

// kernelOf is a kernel of step.cl, whose buffers on CPUs hold at most the given number of elements of each lane. Its geometry and arguments
// are to be set.
func kernelOf(dt tensor.DType, entry string, most int) ops.KernelOptions {
	return ops.KernelOptions{
		Infallible: true, Source: stepSource(), Entry: entry, Options: fmt.Sprintf("%s -DWG=%d -DROOM=%d", optionsOf(dt), stepGroup, stepRoom),
		CPU: &ops.KernelForm{Entry: entry, Options: vectorOptions(dt, lanesOf(dt), most)},
	}
}

func optionsOf(dt tensor.DType) string {
	options := "-DT=float"
	if dt == tensor.Float64 {
		options = "-DT=double -DDOUBLE"
	}
	return fmt.Sprintf("%s -DPAD=%d", options, stepPad)
}

// vectorOptions are those of the form for CPUs.
func vectorOptions(dt tensor.DType, lanes, most int) string {
	vector := "float"
	if dt == tensor.Float64 {
		vector = "double"
	}
	return fmt.Sprintf("%s -DLANES=%d -DV=%s%d -DMOST=%d", optionsOf(dt), lanes, vector, lanes, most)
}

// rowsOf is a kernel of step.cl for rows of the given number of elements, each an item on GPUs, in the given number of parts on CPUs.
func rowsOf(dt tensor.DType, entry string, width, rows, parts int) ops.KernelOptions {
	k := kernelOf(dt, entry, factor)
	if rows >= stepItems {
		parts = 1
	}
	k.Global, k.CPU.Global, k.CPU.Local = [3]int{width, rows}, [3]int{max(parts, 1), rows}, [3]int{1, 1}
	return k
}

// radices are the passes of a transform of m elements in step.cl.
func radices(m int) (all []int) {
	twos := 0
	for _, p := range primesOf(m) {
		switch {
		case p == 2:
			twos++
		case p > 2:
			all = append(all, p)
		}
	}
	for ; twos >= 3 && twos != 4; twos -= 3 {
		all = append(all, 8)
	}
	for ; twos >= 2; twos -= 2 {
		all = append(all, 4)
	}
	if twos == 1 {
		all = append(all, 2)
	}
	return all
}

// packed are radices in the bytes of a number. Of up to 256 elements there are at most five.
func packed(radices []int) (all uint64) {
	for i, r := range radices {
		all |= uint64(r) << (8 * i)
	}
	return all
}

package ops

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// KernelOptions describes a user's own OpenCL C kernel.
type KernelOptions struct {
	// Name appears in reports; empty means Entry.
	Name string
	// Source is OpenCL C; Entry is the name of the kernel in it, whose
	// parameters are a __global pointer for every operand, one for every
	// result, and then Args in order.
	Source, Entry string
	// Options are for the compiler, beside -cl-std=CL1.2.
	Options string
	// Results are the shapes and dtypes of the tensors that the kernel writes.
	Results []Result
	// Args are scalar parameters: int32, uint32, int64, uint64, float32 or
	// float64 values.
	Args []any
	// Global is the number of work-items in each dimension, outermost last as
	// in OpenCL; zeros at the end are dimensions that are not used, ones are
	// dimensions: get_work_dim() is 1 for {n} and 2 for {n, 1}. All zero
	// means one dimension, with an item for each element of the first result.
	Global [3]int
	// Local is the work-group. All zero takes the one that the source demands
	// (reqd_work_group_size), or leaves the choice to the engine; a zero beside
	// others is 1. Each extent must divide that of Global.
	Local [3]int
	// CPU is how drivers for CPUs run the kernel, which want work in larger portions than GPUs; nil: as others do.
	CPU *KernelForm
	// Host computes the results on the CPU engine. Without it the graph runs
	// only where there is a device. outs are to be filled; ins must not change.
	Host func(outs, ins []*tensor.Tensor) error
	// Infallible promises that Host returns no error. Results that are assigned to a variable are then written straight to its
	// memory, as they are where there is no Host; otherwise they are copied there, so that a run that fails leaves the
	// variable unchanged.
	Infallible bool
	// HostOnly says why there is no Source: the kernel runs on the CPU engine only, and reports give this as
	// the reason, as "it branches on its data".
	HostOnly string
	// Grad is the derivative of a call of [Kernel], as backward of [CustomGradient]; nil: it has none. An op that [Define] makes
	// of a kernel has it in [Op].
	Grad func(in, out, grads []*Node) []*Node
}

// KernelForm is another way to run a kernel: of the same source, with the same operands, results and arguments.
type KernelForm struct {
	// Entry is the name of the kernel, Options are for the compiler; empty: those of [KernelOptions].
	Entry, Options string
	// Global is the number of work-items, as in [KernelOptions]; all zero: that of KernelOptions.
	Global [3]int
	// Local is the work-group. All zero takes the one that the source demands, or leaves the choice to the engine.
	Local [3]int
}

// Result is the shape and dtype of one result of a kernel.
type Result struct {
	DType tensor.DType
	Shape []int
}

// Kernel runs a user's own kernel as an op of the graph and returns its
// results. Operands arrive as dense row-major buffers. The kernel must write
// every element of its results; where these have none, it is not launched. Without the field Grad it has no derivative: gradients that
// would pass through it are errors. Errors: no source, entry or results; an argument of another type; a geometry that is negative or that
// Local does not divide. A source that does not compile is an error of Compile, an [engine.KernelError] with the line of the source. Some
// drivers also write to standard error by themselves, as PoCL's "1 error generated.": nothing in OpenCL stops them.
//
// # Work-item functions
//
// All work-item functions of OpenCL C give the specified values for the launch that Global and
// Local describe. On some CPU drivers a launch is divided among threads of this package, which
// starts in a tenth of the time; the kernel does not notice. A kernel is divided if its
// source calls no functions beginning with get_ but
//
//	get_work_dim, get_global_size, get_global_id, get_global_offset, get_global_linear_id,
//	get_local_size, get_enqueued_local_size, get_local_id, get_local_linear_id,
//	get_num_groups, get_group_id
//
// with any arguments, in macros and functions of its own too. It is launched whole, on the
// driver's threads, if it
//
//   - names others, of sub-groups or of its own, or names one of these other than in a call;
//   - names functions beginning with work_group_ other than work_group_barrier, sub_group_, enqueue_, or __builtin_ other than
//     instructions (__builtin_ia32_), prefetches and accesses past the caches (__builtin_nontemporal_);
//   - makes names with ##, includes files, or has assembly, aliases, or a _Pragma other than of loops and of extensions;
//   - has Options that may do any of this.
//
// # Writing out of bounds
//
// Nothing stops a kernel from writing outside its buffers, nor from writing to its operands. It then changes
// other values of the graph, of other graphs, or on CPU drivers any memory of the program: results are wrong
// without an error, the driver may report a lost device, or the program ends. With
// ANYCL_CHECK=bounds in the environment when the runtime is opened, each buffer of a kernel is a copy between two red
// zones, as long as it is but at least 64 KiB and at most 1 MiB, which are compared after
// each launch, as are operands. A write there is an [engine.BoundsError] of the run, which names the kernel, the
// line of the op, the device, the buffer and the bytes. Launches are not divided then, and every
// one waits: it is for finding mistakes. Writes beyond the red zones, and reads, are not seen. Host functions
// are Go and check their indices always.
func Kernel(g *Graph, o KernelOptions, ins ...*Node) []*Node {
	fail := func(err error) []*Node {
		return slices.Repeat([]*Node{g.fail("kernel", ins, err)}, max(len(o.Results), 1))
	}
	if err := o.check(); err != nil {
		return fail(err)
	}
	o.Args, o.Results = slices.Clone(o.Args), slices.Clone(o.Results)
	for i := range o.Results {
		o.Results[i].Shape = slices.Clone(o.Results[i].Shape)
	}
	return picks(applyIn(g, "kernel", &o, ins...), len(o.Results))
}

// check fills in defaults and reports mistakes.
func (o *KernelOptions) check() error {
	if o.Name == "" {
		o.Name = cmp.Or(o.Entry, "kernel")
	}
	switch {
	case o.HostOnly != "" && (o.Source != "" || o.Host == nil):
		return errors.New("HostOnly is for kernels that have the field Host and not the field Source")
	case o.HostOnly == "" && (o.Source == "" || o.Entry == ""):
		return errors.New("the fields Source and Entry must be set, or Host and HostOnly")
	case len(o.Results) == 0:
		return errors.New("a kernel needs at least one result")
	}
	for _, r := range o.Results {
		if err := checkSize(r.Shape, r.DType); err != nil || !r.DType.Valid() {
			return fmt.Errorf("result %v%v is not valid", r.DType, r.Shape)
		}
	}
	for i, a := range o.Args {
		switch a.(type) {
		case int32, uint32, int64, uint64, float32, float64:
		default:
			return fmt.Errorf("argument %d is a %T; use int32, uint32, int64, uint64, float32 or float64", i, a)
		}
	}
	elements := ir.Product(o.Results[0].Shape)
	if err := checkGeometry(&o.Global, o.Local, elements); err != nil {
		return err
	}
	if o.CPU != nil {
		form := *o.CPU
		if form.Global == [3]int{} {
			form.Global = o.Global
		}
		if err := checkGeometry(&form.Global, form.Local, elements); err != nil {
			return fmt.Errorf("for CPUs: %w", err)
		}
		o.CPU = &form
	}
	return nil
}

// checkGeometry fills in a global size that is left out and reports one that makes no sense.
func checkGeometry(global *[3]int, local [3]int, elements int) error {
	if *global == [3]int{} {
		global[0] = elements
	} else if g := *global; (g[0] == 0 || g[1] == 0 && g[2] > 0) && elements > 0 {
		return fmt.Errorf("global size %v has a 0 before its end: nothing would run", g)
	}
	items := 1
	for i := range 3 {
		g, l := global[i], local[i]
		if g > 0 {
			if items > math.MaxInt/g {
				return fmt.Errorf("global size %v is of more work-items than can be counted", *global)
			}
			items *= g
		}
		if g < 0 || l < 0 || l > 0 && g%l != 0 || l > 1 && g == 0 && global[0] > 0 {
			return fmt.Errorf("global size %v and local size %v do not fit", *global, local)
		}
	}
	return nil
}

var _ = define(Op{
	Name: "kernel", Operands: operandsAny, Attributes: AttributesOf[*KernelOptions](), hidden: true,
	Grad: func(b *Back) {
		o := b.Attr().(*KernelOptions)
		if o.Grad == nil {
			g := b.node.graph
			g.fail("kernel", b.node.in, errors.New("the op is not differentiable: its source is the user's (set KernelOptions.Grad, or cut the path with ops.StopGradient)"))
			return
		}
		b.custom(o.Grad, b.node.in)
	},
	Results: func(c *Call) ([]Result, error) { return c.Attr.(*KernelOptions).Results, nil },
	Kernel:  func(c *Call) KernelOptions { return *c.Attr.(*KernelOptions) },
})

// kernel is the kernel of c, whose results are known.
func (c *Call) kernel(results []Result) (*KernelOptions, error) {
	k := c.Op.Kernel(c)
	if c.Op.outside && k.Grad != nil {
		return nil, errors.New("KernelOptions.Grad is for ops.Kernel: the gradient of an op that is defined is Op.Grad")
	}
	if k.Name == "" {
		k.Name = c.Op.Name
	}
	k.Results = results
	return &k, k.check()
}

// task is the kernel as engines see it.
func (o *KernelOptions) task(ins []*Node) *engine.CustomKernel {
	k := &engine.CustomKernel{
		Source: o.Source, Entry: cmp.Or(o.Entry, o.Name), Options: o.Options, Args: o.Args,
		Global: o.Global, Local: o.Local, Host: o.Host, Infallible: o.Infallible, HostOnly: o.HostOnly,
	}
	if o.CPU != nil {
		k.CPU = &engine.KernelForm{Entry: o.CPU.Entry, Options: o.CPU.Options, Global: o.CPU.Global, Local: o.CPU.Local}
	}
	for _, in := range ins {
		k.InShapes = append(k.InShapes, in.shape)
	}
	for _, r := range o.Results {
		k.OutShapes = append(k.OutShapes, r.Shape)
	}
	return k
}

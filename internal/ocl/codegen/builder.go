// Package codegen writes OpenCL programs: it turns a task's expressions and indices into the text of
// hooks, and puts them together with kernel files.
package codegen

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// Builder fills the hooks of one kernel file for one task. Structure goes into the
// text; every size becomes an argument, so that tasks that differ in sizes
// alone have the same text. All kernels of a program take the same arguments.
type Builder struct {
	Device    *facts.Device
	Task      *engine.Task
	IndexType string // the C type of IDX: int, or long when an address needs it
	Double    bool
	Passes    bool // a kernel file has functions that take PARAMS and are called with ARGS
	Inline    bool // hooks are made part of every loop that calls them, so that it becomes vectors

	ints    []Arg          // in order of first appearance
	byKey   map[string]int // into ints
	named   []Arg          // sizes that the family named
	scratch []Arg
	scalars []Arg             // numbers of the accumulators' type
	ctypes  map[string]string // of scratch and scalars, by name
	structs map[string]string // names of the types of several values, by their members
	lanes   int               // hooks for one lane of a vector that is not a line of memory
	Macros  strings.Builder
	Hooks   strings.Builder
	numbers map[string]bool // constants that are arguments, by their keys; nil before the first is met
	err     error           // why the task has no program

	Library []string // kernel files that others may share
	Options string   // of the compiler, beside the usual ones
}

// New starts a program for t, which is collapsed already. limits are
// further numbers that the family computes with in IDX.
func New(dev *facts.Device, t *engine.Task, limits ...int64) *Builder {
	g := &Builder{Device: dev, Task: t, IndexType: "int", byKey: map[string]int{}, ctypes: map[string]string{}, structs: map[string]string{}}
	if dev.ForceWide || needsWide(t) || slices.ContainsFunc(limits, func(n int64) bool { return n > access.IndexLimit }) {
		g.IndexType = "long"
	}
	g.Double = ComputesInDouble(t)
	return g
}

// InlineHooks makes hooks part of the loops that call them, where these are to become vectors: a compiler leaves a long function that is
// called in several places alone. Not where programs are compiled as fast as can be.
func (g *Builder) InlineHooks() { g.Inline = g.Device.CPU && !g.Device.Unoptimized }

// ComputesInDouble reports whether a program for t needs the type double.
func ComputesInDouble(t *engine.Task) bool {
	for _, o := range slices.Concat(t.Ins, t.Outs) {
		if o.DType == tensor.Float64 {
			return true
		}
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.DType == tensor.Float64 {
				return true
			}
		}
	}
	return false
}

// Wide reports whether indices are computed in 64 bits.
func (g *Builder) Wide() bool { return g.IndexType == "long" }

// Macro defines a macro for the kernel file.
func (g *Builder) Macro(name string, value any) {
	fmt.Fprintf(&g.Macros, "#define %s %v\n", name, value)
}

// OneIf is a truth value as macros have it.
func OneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Size passes v to the kernels as an argument of type IDX, under a name of the
// kernel file.
func (g *Builder) Size(name string, v int64) {
	g.named = append(g.named, Arg{Kind: ArgInt, Name: name, Value: v})
}

// Section writes kernel files that a program includes more than once, after the text that define
// writes. Every macro ends with the section.
func (g *Builder) Section(define func(), files ...string) {
	rest := g.Hooks
	g.Hooks = strings.Builder{}
	define()
	for _, f := range files {
		fmt.Fprintf(&g.Hooks, "// ---- %s ----\n%s", f, kernels.Text(f))
	}
	text := g.Hooks.String()
	g.Hooks = strings.Builder{}
	g.Hooks.WriteString(rest.String())
	g.Hooks.WriteString(text)
	for _, n := range distinct(text, macroName) {
		fmt.Fprintf(&g.Hooks, "#undef %s\n", n)
	}
	g.Hooks.WriteByte('\n')
}

// ScratchArg passes scratch buffer number index of the plan under a name of the
// kernel file.
func (g *Builder) ScratchArg(name string, index int, ctype string) {
	g.scratch = append(g.scratch, Arg{Kind: ArgScratch, Name: name, Index: index})
	g.ctypes[name] = ctype
}

// keptArg is ScratchArg for a buffer that the task keeps between runs.
func (g *Builder) keptArg(name string, index int, ctype string) {
	g.scratch = append(g.scratch, Arg{Kind: ArgKept, Name: name, Index: index})
	g.ctypes[name] = ctype
}

// ScalarArg passes a number that every launch sets under a name of the kernel file.
func (g *Builder) ScalarArg(name, ctype string) {
	g.scalars = append(g.scalars, Arg{Kind: ArgScalar, Name: name})
	g.ctypes[name] = ctype
}

// PackArg is keptArg for the only buffer that a task keeps, or else ScratchArg.
func (g *Builder) PackArg(name string, keep bool, index int, ctype string) {
	if keep {
		g.keptArg(name, 0, ctype)
		return
	}
	g.ScratchArg(name, index, ctype)
}

// constant is the text of the number v in index arithmetic.
func (g *Builder) constant(v int64) string {
	if v >= -1 && v <= 1 {
		return fmt.Sprint(v)
	}
	return g.int(fmt.Sprint(v), v)
}

// int is the name of the argument with this key, made at first use.
func (g *Builder) int(key string, v int64) string {
	i, ok := g.byKey[key]
	if !ok {
		i = len(g.ints)
		g.byKey[key] = i
		g.ints = append(g.ints, Arg{Kind: ArgInt, Name: fmt.Sprintf("n%d", i), Value: v})
	}
	return g.ints[i].Name
}

// magic gives the names of the multiplier and shift of FASTDIV for divisor d:
// floor(n/d) = (mulhi(n, m) + n) >> s for 0 <= n < 2^31. Source: Granlund and
// Montgomery, Division by Invariant Integers using Multiplication (1994).
func (g *Builder) magic(d int64) (m, s string) {
	shift := int64(0)
	for int64(1)<<shift < d {
		shift++
	}
	mult := (int64(1)<<32)*(int64(1)<<shift-d)/d + 1
	// The kernel reads it back as uint; as int it has the same bits.
	return g.int(fmt.Sprintf("m%d", d), int64(int32(uint32(mult)))), g.int(fmt.Sprintf("s%d", d), shift)
}

// Operand i of the task: inputs first, then outputs.
func (g *Builder) Operand(i int) (name string, o engine.Operand, out bool) {
	if n := len(g.Task.Ins); i >= n {
		return fmt.Sprintf("y%d", i-n), g.Task.Outs[i-n], true
	}
	return fmt.Sprintf("p%d", i), g.Task.Ins[i], false
}

// Pointer is the text of where operand i starts, in a kernel.
func (g *Builder) Pointer(i int) string {
	name, o, _ := g.Operand(i)
	at := g.Task.AliasedBy(i)
	if at < 0 {
		return fmt.Sprintf("%s_ + o_%s", name, name)
	}
	// The same memory as an output: read through the output's pointer, so that
	// restrict stays true of both.
	name, out, _ := g.Operand(len(g.Task.Ins) + at)
	if StorageType(o.DType) != StorageType(out.DType) {
		return fmt.Sprintf("(__global const %s *)(%s_ + o_%s)", StorageType(o.DType), name, name)
	}
	return fmt.Sprintf("%s_ + o_%s", name, name)
}

// Assemble puts the program together: prelude, sizes and macros, hooks, and
// the kernel files as they are.
func (g *Builder) Assemble(files ...string) *Program {
	p := &Program{Name: files[len(files)-1], Wide: g.Wide(), Err: g.err}
	params := g.signature(p)
	hooks := g.Hooks.String()
	p.Head, p.Library = headOf(g.features()), append(libraries(hooks, g.Double), g.Library...)
	var b strings.Builder
	fmt.Fprintf(&b, "#define IDX %s\n#define IDX_MAX %s\n", g.IndexType, map[bool]string{false: "INT_MAX", true: "LONG_MAX"}[g.Wide()])
	if strings.Contains(hooks, "LOADS_") || strings.Contains(hooks, "OUTS") || strings.Contains(hooks, "FLOAT16_ANYWHERE") {
		b.WriteString(kernels.Text("lib/cpu_vector.cl"))
	}
	if strings.Contains(hooks, "LOADS8_") {
		b.WriteString(kernels.Text("lib/cpu_vector_8.cl"))
	}
	b.WriteString("\n// ---- this task ----\n")
	b.WriteString(g.Macros.String())
	fmt.Fprintf(&b, "#define PARAMS %s\n", strings.Join(params.kernels, ", \\\n    "))
	if g.Passes {
		var args []string
		for _, p := range params.kernels {
			args = append(args, nameOf(p))
		}
		fmt.Fprintf(&b, "#define ARGS %s\n", strings.Join(args, ", "))
	}
	fmt.Fprintf(&b, "#define FN_PARAMS%s\n", after(params.hooks, ", \\\n    "))
	fmt.Fprintf(&b, "#define FN_ARGS%s\n", after(params.passed, ", "))
	if g.lanes > 0 { // hooks call hooks
		names := make([]string, len(params.hooks))
		for i, d := range params.hooks {
			names[i] = nameOf(d)
		}
		fmt.Fprintf(&b, "#define FN_PASS%s\n", after(names, ", "))
	}
	b.WriteString("\n")
	b.WriteString(hooks)
	for _, f := range files {
		fmt.Fprintf(&b, "// ---- %s ----\n", f)
		b.WriteString(kernels.Text(f))
	}
	p.Body = b.String()
	p.Options = strings.TrimSpace(options(g.Task.FastMath, g.Double, g.Device.Unoptimized) + " " + g.Options)
	return p
}

// nameOf is the name in a parameter's declaration.
func nameOf(declaration string) string {
	return declaration[strings.LastIndexAny(declaration, " *")+1:]
}

// signature is the declarations of the parameters of kernels and of hooks' functions, and what kernels pass to these.
type signature struct{ kernels, hooks, passed []string }

// signature lists the parameters of p, and gives it its arguments.
func (g *Builder) signature(p *Program) (all signature) {
	// Room for the buffers' own arguments; past it the numbers go in a table.
	ints := slices.Concat(g.named, g.ints)
	each := 4
	if g.Wide() {
		each = 8
	}
	buffers := len(g.Task.Ins) + len(g.Task.Outs)
	table := 16*buffers+8*(len(g.scratch)+len(g.scalars))+each*len(ints)+4 > g.Device.ArgBytes

	kernel := func(declaration ...string) { all.kernels = append(all.kernels, declaration...) }
	hook := func(declaration, passed string) {
		all.hooks, all.passed = append(all.hooks, declaration), append(all.passed, passed)
	}
	for i := range buffers {
		name, o, out := g.Operand(i)
		c := "const "
		if out {
			c = ""
		}
		ptr := fmt.Sprintf("__global %s%s *", c, StorageType(o.DType))
		if out || g.Task.AliasedBy(i) < 0 {
			// Hooks are inlined: restrict on the kernel's own parameters is
			// enough, and on theirs Oclgrind trips over it.
			kernel(ptr+"restrict "+name+"_", "const ulong o_"+name)
			p.Args = append(p.Args, Arg{Kind: ArgBuffer, Index: i}, Arg{Kind: ArgOffset, Index: i})
		}
		if !out {
			hook(ptr+name, g.Pointer(i))
		}
	}
	for _, s := range g.scratch {
		kernel(fmt.Sprintf("__global %s *restrict %s", g.ctypes[s.Name], s.Name))
	}
	for _, s := range g.scalars {
		kernel(fmt.Sprintf("const %s %s", g.ctypes[s.Name], s.Name))
	}
	p.Args = slices.Concat(p.Args, g.scratch, g.scalars)
	if table {
		kernel("__global const IDX *restrict n_")
		hook("__global const IDX *n_", "n_")
		p.Args, p.Ints = append(p.Args, Arg{Kind: ArgTable}), ints
		for i, n := range ints {
			g.Macro(n.Name, fmt.Sprintf("n_[%d]", i))
		}
	} else {
		for _, n := range g.named {
			kernel("const IDX " + n.Name)
		}
		for _, n := range g.ints {
			kernel("const IDX " + n.Name)
			hook("const IDX "+n.Name, n.Name)
		}
		p.Args = append(p.Args, ints...)
	}
	if access.UsesRun(g.Task) {
		kernel("const uint run")
		hook("const uint run", "run")
		p.Args = append(p.Args, Arg{Kind: ArgRun})
	}
	return all
}

// features are the macros before lib/prelude.cl, which say what the device and the program have.
func (g *Builder) features() (text string) {
	for _, f := range []struct {
		has  bool
		text string
	}{
		{g.Double, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define HAS_DOUBLE 1\n"},
		{g.Device.CPU, "#define SOFT_HALF 1\n"},
		{g.Device.CPU && g.Device.BodiesApart, "#define BODIES_APART 1\n"},
		{g.Device.CPU && g.Device.FP64, "#define WIDE_MATH 1\n"},
		{g.Device.CPU && g.Device.VectorLanes >= 16, "#define WIDE_LOOPS 1\n"},
		{g.Device.WideBytes, "#define WIDE_CHAR(x) (((int)(x) << 24) >> 24)\n#define WIDE_UCHAR(x) ((int)(x) & 255)\n"},
	} {
		if f.has {
			text += f.text
		}
	}
	return text
}

// libraries are the files whose functions hooks call, of a program that computes in double if inDouble.
func libraries(hooks string, inDouble bool) (files []string) {
	random := strings.Contains(hooks, "philox")
	double := strings.Contains(hooks, "double_") || random && inDouble
	special := kernels.Special(hooks)
	if random || double || len(special) > 0 || strings.Contains(hooks, "wide_") {
		files = append(files, "lib/math.cl")
	}
	if double {
		files = append(files, "lib/math_double.cl")
	}
	files = append(files, special...)
	if random {
		files = append(files, "lib/random.cl")
		if strings.Contains(hooks, "philox_log_gamma") || strings.Contains(hooks, "philox_poisson") {
			files = append(files, "lib/draws.cl")
		}
	}
	return files
}

// heads are the first parts of programs, by the macros before lib/prelude.cl: a few, which programs share.
var heads sync.Map

// headOf is the first part of programs with these macros.
func headOf(macros string) string {
	if head, ok := heads.Load(macros); ok {
		return head.(string)
	}
	head, _ := heads.LoadOrStore(macros, macros+kernels.Text("lib/prelude.cl"))
	return head.(string)
}

// AskForRegisters says that items hold so many that compilers spill: they may choose how many registers there are.
func (g *Builder) AskForRegisters() {
	g.Options = strings.TrimSpace(g.Options + " " + g.Device.RegisterOptions)
}

// CapRegisters says that many items at a time matter more than registers for each.
func (g *Builder) CapRegisters() {
	g.Options = strings.TrimSpace(g.Options + " " + g.Device.RegisterCap)
}

// after lists parameters that follow others.
func after(list []string, sep string) string {
	if len(list) == 0 {
		return ""
	}
	return " , " + strings.Join(list, sep)
}

// needsWide reports whether an address, extent or intermediate value of t may
// leave the range of int.
func needsWide(t *engine.Task) bool {
	for g := range t.Groups {
		if t.Size(g) > access.IndexLimit {
			return true
		}
	}
	for _, o := range slices.Concat(t.Ins, t.Outs) {
		if o.Len > access.IndexLimit {
			return true
		}
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			for _, x := range s.Indices() {
				if access.Reach(x, t.Axes) > access.IndexLimit {
					return true
				}
			}
			for _, c := range s.Conds {
				if always, never := c.Proven(t.Axes); !always && !never && max(c.Lo, -c.Lo, c.Hi, -c.Hi) > access.IndexLimit {
					return true
				}
			}
		}
	}
	return false
}

// OpaqueZero is 0 for lib/block_sums.cl, because no size M is negative. Compilers see through a comparison.
const OpaqueZero = "(int)((IDX)M >> (8 * sizeof(IDX) - 1))"

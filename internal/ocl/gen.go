package ocl

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// argKind says what a kernel argument is.
type argKind uint8

const (
	argBuffer  argKind = iota // memory of input or output number index
	argOffset                 // where in that memory it starts, in elements: ulong
	argStart                  // where scratch starts: 0, as ulong
	argScratch                // scratch buffer number index of the plan
	argKept                   // kept buffer number index of the plan
	argInt                    // value, as IDX
	argTable                  // all argInts of the program in one buffer
	argRun                    // the number of the run: uint
	argPointer                // custom: memory of input or output number index, from its offset on
	argScalar                 // a number: of a custom kernel, or set by every launch
)

// arg is one argument of every kernel of a program.
type arg struct {
	kind   argKind
	name   string
	index  int // argBuffer, argOffset, argPointer: inputs first, then outputs; argScratch, argKept: of the plan
	value  int64
	scalar any
}

// gen fills the hooks of one kernel file for one task. Structure goes into the
// text; every size becomes an argument, so that tasks that differ in sizes
// alone have the same text. All kernels of a program take the same arguments.
type gen struct {
	dev    *deviceFacts
	task   *engine.Task
	idx    string // the C type of IDX: int, or long when an address needs it
	double bool
	passes bool // a kernel file has functions that take PARAMS and are called with ARGS

	ints    []arg          // in order of first appearance
	byKey   map[string]int // into ints
	named   []arg          // sizes that the family named
	scratch []arg
	scalars []arg             // numbers of the accumulators' type
	ctypes  map[string]string // of scratch and scalars, by name
	macros  strings.Builder
	hooks   strings.Builder
	err     error // why the task has no program

	library []string // kernel files that others may share
	options string   // of the compiler, beside the usual ones
}

// newGen starts a program for t, which is collapsed already. limits are
// further numbers that the family computes with in IDX.
func newGen(dev *deviceFacts, t *engine.Task, limits ...int64) *gen {
	g := &gen{dev: dev, task: t, idx: "int", byKey: map[string]int{}, ctypes: map[string]string{}}
	if dev.forceWide || needsWide(t) || slices.ContainsFunc(limits, func(n int64) bool { return n > idxLimit }) {
		g.idx = "long"
	}
	g.double = computesInDouble(t)
	return g
}

// computesInDouble reports whether a program for t needs the type double.
func computesInDouble(t *engine.Task) bool {
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

func (g *gen) wide() bool { return g.idx == "long" }

// macro defines a macro for the kernel file.
func (g *gen) macro(name string, value any) { fmt.Fprintf(&g.macros, "#define %s %v\n", name, value) }

// oneIf is a truth value as macros have it.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// size passes v to the kernels as an argument of type IDX, under a name of the
// kernel file.
func (g *gen) size(name string, v int64) {
	g.named = append(g.named, arg{kind: argInt, name: name, value: v})
}

// section writes kernel files that stand in a program more than once, with what
// define writes before them. Every macro ends with the section.
func (g *gen) section(define func(), files ...string) {
	rest := g.hooks
	g.hooks = strings.Builder{}
	define()
	for _, f := range files {
		fmt.Fprintf(&g.hooks, "// ---- %s ----\n%s", f, kernels.Text(f))
	}
	text := g.hooks.String()
	g.hooks = strings.Builder{}
	g.hooks.WriteString(rest.String())
	g.hooks.WriteString(text)
	for _, n := range macroName.distinct(text) {
		fmt.Fprintf(&g.hooks, "#undef %s\n", n)
	}
	g.hooks.WriteByte('\n')
}

// scratchArg passes scratch buffer number index of the plan under a name of the
// kernel file.
func (g *gen) scratchArg(name string, index int, ctype string) {
	g.scratch = append(g.scratch, arg{kind: argScratch, name: name, index: index})
	g.ctypes[name] = ctype
}

// keptArg is scratchArg for a buffer that the task keeps between runs.
func (g *gen) keptArg(name string, index int, ctype string) {
	g.scratch = append(g.scratch, arg{kind: argKept, name: name, index: index})
	g.ctypes[name] = ctype
}

// scalarArg passes a number that every launch sets under a name of the kernel file.
func (g *gen) scalarArg(name, ctype string) {
	g.scalars = append(g.scalars, arg{kind: argScalar, name: name})
	g.ctypes[name] = ctype
}

// packArg is keptArg for the only buffer that a task keeps, or else scratchArg.
func (g *gen) packArg(name string, keep bool, index int, ctype string) {
	if keep {
		g.keptArg(name, 0, ctype)
		return
	}
	g.scratchArg(name, index, ctype)
}

// constant is the text of the number v in index arithmetic.
func (g *gen) constant(v int64) string {
	if v >= -1 && v <= 1 {
		return fmt.Sprint(v)
	}
	return g.int(fmt.Sprint(v), v)
}

// int is the name of the argument with this key, made at first use.
func (g *gen) int(key string, v int64) string {
	i, ok := g.byKey[key]
	if !ok {
		i = len(g.ints)
		g.byKey[key] = i
		g.ints = append(g.ints, arg{kind: argInt, name: fmt.Sprintf("n%d", i), value: v})
	}
	return g.ints[i].name
}

// magic gives the names of the multiplier and shift of FASTDIV for divisor d:
// floor(n/d) = (mulhi(n, m) + n) >> s for 0 <= n < 2^31. Source: Granlund and
// Montgomery, Division by Invariant Integers using Multiplication (1994).
func (g *gen) magic(d int64) (m, s string) {
	shift := int64(0)
	for int64(1)<<shift < d {
		shift++
	}
	mult := (int64(1)<<32)*(int64(1)<<shift-d)/d + 1
	// The kernel reads it back as uint; as int it has the same bits.
	return g.int(fmt.Sprintf("m%d", d), int64(int32(uint32(mult)))), g.int(fmt.Sprintf("s%d", d), shift)
}

// program is the text of one OpenCL program and its uniform argument list.
type program struct {
	name    string   // of the kernel file, for errors
	source  string   // head and body
	head    string   // what parts of one program share; empty for a caller's kernel
	library []string // kernel files that some parts want, which stand after head once
	body    string
	options string
	args    []arg
	ints    []arg // what argTable holds
	wide    bool  // IDX is long
	dims    int   // of the launch of a caller's own kernel, see ownHead; 0: it is none
	depth   int   // how many work-items that has in its third dimension
	err     error // why it is none
}

// operand i of the task: inputs first, then outputs.
func (g *gen) operand(i int) (name string, o engine.Operand, out bool) {
	if n := len(g.task.Ins); i >= n {
		return fmt.Sprintf("y%d", i-n), g.task.Outs[i-n], true
	}
	return fmt.Sprintf("p%d", i), g.task.Ins[i], false
}

// pointer is the text of where operand i starts, in a kernel.
func (g *gen) pointer(i int) string {
	name, o, _ := g.operand(i)
	at := g.task.AliasedBy(i)
	if at < 0 {
		return fmt.Sprintf("%s_ + o_%s", name, name)
	}
	// The same memory as an output: read through the output's pointer, so that
	// restrict stays true of both.
	name, out, _ := g.operand(len(g.task.Ins) + at)
	if storageType(o.DType) != storageType(out.DType) {
		return fmt.Sprintf("(__global const %s *)(%s_ + o_%s)", storageType(o.DType), name, name)
	}
	return fmt.Sprintf("%s_ + o_%s", name, name)
}

// assemble puts the program together: prelude, sizes and macros, hooks, and
// the kernel files as they are.
func (g *gen) assemble(files ...string) *program {
	p := &program{name: files[len(files)-1], wide: g.wide(), err: g.err}
	// Room for the buffers' own arguments; past it the numbers go in a table.
	ints := slices.Concat(g.named, g.ints)
	each := 4
	if g.wide() {
		each = 8
	}
	buffers := len(g.task.Ins) + len(g.task.Outs)
	table := 16*buffers+8*(len(g.scratch)+len(g.scalars))+each*len(ints)+4 > g.dev.argBytes

	var params, fnParams, fnArgs []string
	for i := range buffers {
		name, o, out := g.operand(i)
		c := "const "
		if out {
			c = ""
		}
		ptr := fmt.Sprintf("__global %s%s *", c, storageType(o.DType))
		if out || g.task.AliasedBy(i) < 0 {
			// Hooks are inlined: restrict on the kernel's own parameters is
			// enough, and on theirs Oclgrind trips over it.
			params = append(params, ptr+"restrict "+name+"_", "const ulong o_"+name)
			p.args = append(p.args, arg{kind: argBuffer, index: i}, arg{kind: argOffset, index: i})
		}
		if !out {
			fnParams = append(fnParams, ptr+name)
			fnArgs = append(fnArgs, g.pointer(i))
		}
	}
	for _, s := range g.scratch {
		params = append(params, fmt.Sprintf("__global %s *restrict %s", g.ctypes[s.name], s.name))
		p.args = append(p.args, s)
	}
	for _, s := range g.scalars {
		params = append(params, fmt.Sprintf("const %s %s", g.ctypes[s.name], s.name))
		p.args = append(p.args, s)
	}
	if table {
		params = append(params, "__global const IDX *restrict n_")
		fnParams = append(fnParams, "__global const IDX *n_")
		fnArgs = append(fnArgs, "n_")
		p.args, p.ints = append(p.args, arg{kind: argTable}), ints
		for i, n := range ints {
			g.macro(n.name, fmt.Sprintf("n_[%d]", i))
		}
	} else {
		for _, n := range g.named {
			params = append(params, "const IDX "+n.name)
		}
		for _, n := range g.ints {
			params = append(params, "const IDX "+n.name)
			fnParams = append(fnParams, "const IDX "+n.name)
			fnArgs = append(fnArgs, n.name)
		}
		p.args = append(p.args, ints...)
	}
	if usesRun(g.task) {
		params = append(params, "const uint run")
		fnParams = append(fnParams, "const uint run")
		fnArgs = append(fnArgs, "run")
		p.args = append(p.args, arg{kind: argRun})
	}

	var b strings.Builder
	if g.double {
		b.WriteString("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n")
		b.WriteString("#define HAS_DOUBLE 1\n")
	}
	if g.dev.cpu {
		b.WriteString("#define SOFT_HALF 1\n")
		if g.dev.fp64 {
			b.WriteString("#define WIDE_MATH 1\n")
		}
		if g.dev.vector >= 16 {
			b.WriteString("#define WIDE_LOOPS 1\n")
		}
	}
	if g.dev.wideBytes {
		b.WriteString("#define WIDE_CHAR(x) (((int)(x) << 24) >> 24)\n")
		b.WriteString("#define WIDE_UCHAR(x) ((int)(x) & 255)\n")
	}
	b.WriteString(kernels.Text("lib/prelude.cl"))
	p.head = b.String()
	b.Reset()
	fmt.Fprintf(&b, "#define IDX %s\n#define IDX_MAX %s\n", g.idx, map[bool]string{false: "INT_MAX", true: "LONG_MAX"}[g.wide()])
	random := strings.Contains(g.hooks.String(), "philox")
	double := strings.Contains(g.hooks.String(), "double_")
	if random || double || strings.Contains(g.hooks.String(), "wide_") {
		p.library = append(p.library, "lib/math.cl")
	}
	if double {
		p.library = append(p.library, "lib/math_double.cl")
	}
	if random {
		p.library = append(p.library, "lib/random.cl")
	}
	p.library = append(p.library, g.library...)
	if text := g.hooks.String(); strings.Contains(text, "LOADS_") || strings.Contains(text, "OUTS") || strings.Contains(text, "FLOAT16_ANYWHERE") {
		b.WriteString(kernels.Text("lib/cpu_vector.cl"))
	}
	b.WriteString("\n// ---- this task ----\n")
	b.WriteString(g.macros.String())
	fmt.Fprintf(&b, "#define PARAMS %s\n", strings.Join(params, ", \\\n    "))
	if g.passes {
		var args []string
		for _, p := range params {
			args = append(args, p[strings.LastIndexAny(p, " *")+1:])
		}
		fmt.Fprintf(&b, "#define ARGS %s\n", strings.Join(args, ", "))
	}
	fmt.Fprintf(&b, "#define FN_PARAMS%s\n", after(fnParams, ", \\\n    "))
	fmt.Fprintf(&b, "#define FN_ARGS%s\n\n", after(fnArgs, ", "))
	b.WriteString(g.hooks.String())
	for _, f := range files {
		fmt.Fprintf(&b, "// ---- %s ----\n", f)
		b.WriteString(kernels.Text(f))
	}
	p.body = b.String()
	p.source = p.head + texts(p.library) + p.body
	p.options = strings.TrimSpace(options(g.task.FastMath, g.double) + " " + g.options)
	return p
}

// texts are kernel files, one after the other.
func texts(files []string) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(kernels.Text(f))
	}
	return b.String()
}

// manyValues says that items hold so many that compilers spill: they may choose how many registers there are.
func (g *gen) manyValues() { g.options = strings.TrimSpace(g.options + " " + g.dev.registers) }

// after lists what follows other parameters.
func after(list []string, sep string) string {
	if len(list) == 0 {
		return ""
	}
	return " , " + strings.Join(list, sep)
}

// options are the compiler's. A literal without a suffix is a double, which
// devices without double refuse, so it is read as float where no double is meant.
func options(fast, double bool) string {
	var o []string
	if !double {
		o = append(o, "-cl-single-precision-constant")
	}
	if fast {
		o = append(o, "-cl-fast-relaxed-math")
	}
	return strings.Join(o, " ")
}

func usesRun(t *engine.Task) bool {
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == engine.OpRun {
				return true
			}
		}
	}
	return false
}

// idxLimit bounds what an int IDX may hold: below 2^31 by the room that padded
// launches and strides past the end need.
const idxLimit = math.MaxInt32 - 1<<20

// needsWide reports whether an address, extent or intermediate value of t may
// leave the range of int.
func needsWide(t *engine.Task) bool {
	for g := range t.Groups {
		if t.Size(g) > idxLimit {
			return true
		}
	}
	for _, o := range slices.Concat(t.Ins, t.Outs) {
		if o.Len > idxLimit {
			return true
		}
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			for _, x := range s.Indices() {
				if reach(x, t.Axes) > idxLimit {
					return true
				}
			}
			for _, c := range s.Conds {
				if always, never := c.Proven(t.Axes); !always && !never && max(c.Lo, -c.Lo, c.Hi, -c.Hi) > idxLimit {
					return true
				}
			}
		}
	}
	return false
}

// reach bounds the magnitude of every partial sum of x. The value of a gather
// is not counted: its conditions are computed in long, and an address that
// they let through lies in its buffer.
func reach(x *engine.Index, dom engine.Domain) int64 {
	total := float64(max(x.Const, -x.Const))
	for _, t := range x.Terms {
		coef := math.Abs(float64(t.Coef))
		switch t.Atom.Kind {
		case engine.AtomAxis:
			total += coef * float64(max(dom[t.Atom.Axis]-1, 0))
		case engine.AtomDiv, engine.AtomMod:
			inner := reach(t.Atom.X, dom)
			if inner > idxLimit {
				return math.MaxInt64
			}
			// A remainder stays below its divisor, a quotient below the dividend.
			bound := float64(inner)
			if t.Atom.Kind == engine.AtomMod {
				bound = float64(t.Atom.D)
			}
			total += max(coef*bound, float64(t.Atom.D))
		default:
			total += coef
		}
	}
	if total > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return int64(total)
}

package codegen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/clbuiltin"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// Hook defines the macro name(coords...) of a kernel file as the value of e,
// in the register type of e's dtype. Where acc is set, the macro has a last
// parameter: the accumulated value, of the register type of acc.
func (g *Builder) Hook(name string, coords []Coord, e *engine.Expr, acc tensor.DType) {
	var accs []tensor.DType
	if acc != tensor.Invalid {
		accs = []tensor.DType{acc}
	}
	g.HookOf(name, coords, []*engine.Expr{e}, accs)
}

// HookOf is hook for several values, which the macro gives as one of the type
// of ValueType, and for any number of accumulated ones.
func (g *Builder) HookOf(name string, coords []Coord, es []*engine.Expr, accs []tensor.DType) {
	params := parametersOf(coords)
	names := map[int]string{}
	for i, dt := range accs {
		names[i] = "acc"
		if len(accs) > 1 {
			names[i] = fmt.Sprint("acc", i)
		}
		params = append(params, Param{CType: RegType(dt), Name: names[i]})
	}
	g.Function(name, coords, params, names, es)
}

// Param is a parameter of a hook's function. Its macro passes arg, or where
// that is empty has a parameter of the same name.
type Param struct{ CType, Name, Arg string }

// parametersOf are the coordinates, each under its name.
func parametersOf(coords []Coord) (params []Param) {
	for _, c := range coords {
		params = append(params, Param{CType: "IDX", Name: c.Name})
	}
	return params
}

// Function defines the function name_hook and the macro name that calls it.
// accs names the parameters that hold the task's results.
func (g *Builder) Function(name string, coords []Coord, params []Param, accs map[int]string, es []*engine.Expr) {
	f := &fn{g: g, seen: map[string]string{}, coords: coords, accs: accs}
	result := g.ValueType(name, es)
	var end string
	if len(es) == 1 {
		end = fmt.Sprintf("    return %s;\n", f.value(es[0], ""))
	} else {
		var members string
		end = fmt.Sprintf("    %s out;\n", result)
		for i, e := range es {
			members += fmt.Sprintf(" %s v%d;", RegType(e.DType), i)
			end += fmt.Sprintf("    out.v%d = %s;\n", i, f.value(e, ""))
		}
		end += "    return out;\n"
		g.structOf(members, result)
	}
	g.write(name, result, params, f.body.String()+end)
}

// structOf defines the C type name, a struct of the given members. Hooks of the same members give values of one type: one macro
// stores them all.
func (g *Builder) structOf(members, name string) {
	if same, ok := g.structs[members]; ok {
		fmt.Fprintf(&g.Hooks, "typedef %s %s;\n", same, name)
		return
	}
	g.structs[members] = name
	fmt.Fprintf(&g.Hooks, "typedef struct {%s } %s;\n", members, name)
}

// write writes a function, and the macro name that calls it with those of its
// parameters that have no argument yet.
func (g *Builder) write(name, result string, params []Param, body string) {
	var declared, names, args []string
	for _, p := range params {
		declared = append(declared, "const "+p.CType+" "+p.Name)
		if p.Arg == "" {
			p.Arg = p.Name
			names = append(names, p.Name)
		}
		args = append(args, p.Arg)
	}
	lower := strings.ToLower(name)
	begin := "static inline"
	if g.Inline {
		begin = "INLINE"
	}
	fmt.Fprintf(&g.Hooks, "%s %s %s_hook(%s FN_PARAMS) {\n%s}\n", begin, result, lower, strings.Join(declared, ", "), body)
	fmt.Fprintf(&g.Hooks, "#define %s(%s) %s_hook(%s FN_ARGS)\n\n", name, strings.Join(names, ", "), lower, strings.Join(args, ", "))
}

// ValueType is the C type of hook name, which computes es: that of the one, or
// a struct of all.
func (g *Builder) ValueType(name string, es []*engine.Expr) string {
	if len(es) == 1 {
		return RegType(es[0].DType)
	}
	return strings.ToLower(name) + "_t"
}

// Store defines the macro name(i, v): element i of every output becomes v, the
// values of es as hook of gives them.
func (g *Builder) Store(name, of string, es ...*engine.Expr) {
	if len(es) == 1 {
		g.StoreOne(name, 0, es[0])
		return
	}
	// All are computed before any is stored: inputs may lie there.
	text := fmt.Sprintf("do { const %s v_ = (v);", g.ValueType(of, es))
	for i, e := range es {
		text += " " + g.storing(i, e.DType, fmt.Sprintf("v_.v%d", i)) + ";"
	}
	fmt.Fprintf(&g.Hooks, "#define %s(i, v) %s } while (0)\n\n", name, text)
}

// StoreOne defines the macro name(i, v): element i of an output becomes v, the
// value of e.
func (g *Builder) StoreOne(name string, output int, e *engine.Expr) {
	fmt.Fprintf(&g.Hooks, "#define %s(i, v) %s\n\n", name, g.storing(output, e.DType, "(v)"))
}

// storing is the text that makes v, of dtype from, element i of an output.
func (g *Builder) storing(output int, from tensor.DType, v string) string {
	_, o, _ := g.Operand(len(g.Task.Ins) + output)
	return fmt.Sprintf("STORE_%v(%s, i, %s)", o.DType, g.Pointer(len(g.Task.Ins)+output), g.converted(output, from, v))
}

// converted is the text of v, of dtype from, in the register type of an output.
func (g *Builder) converted(output int, from tensor.DType, v string) string {
	_, o, _ := g.Operand(len(g.Task.Ins) + output)
	if RegType(from) != RegType(o.DType) {
		v = castExpr(from, o.DType, v)
	}
	if o.DType == tensor.Bool && g.Device.CPU {
		// A truth value from a constant 1 becomes a masked load of it, which is
		// slow with PoCL 3.1 on some processors. An argument is in a register.
		v = fmt.Sprintf("%s ? (uchar)%s : (uchar)0", v, g.int("true", 1))
	}
	return v
}

// Buffers defines hooks for the values of es, as hook of gives them, on their way through arrays of
// their stored representations: BUFFERS, KEEP, EACH_BUFFER and FIRST.
func (g *Builder) Buffers(of string, es ...*engine.Expr) {
	var declare, keep, each string
	for i, e := range es {
		v := "v_"
		if len(es) > 1 {
			v = fmt.Sprintf("v_.v%d", i)
		}
		ctype, at, bits := g.Stored(i, e.DType, v)
		declare += fmt.Sprintf(" %s b%d[n] LINES;", ctype, i)
		keep += fmt.Sprintf(" b%d[k] = %s;", i, bits)
		each += fmt.Sprintf(" DO(%s, b%d)", at, i)
		if i == 0 {
			g.Macro("FIRST", at)
		}
	}
	fmt.Fprintf(&g.Hooks, "#define BUFFERS(n)%s\n", declare)
	fmt.Fprintf(&g.Hooks, "#define KEEP(k, v) do { const %s v_ = (v);%s } while (0)\n", g.ValueType(of, es), keep)
	fmt.Fprintf(&g.Hooks, "#define EACH_BUFFER(DO)%s\n\n", each)
}

// Stored is the type of the elements of an output in memory, where it begins, and the stored
// representation of v, of dtype from.
func (g *Builder) Stored(output int, from tensor.DType, v string) (ctype, at, bits string) {
	_, o, _ := g.Operand(len(g.Task.Ins) + output)
	ctype, at, bits = StorageType(o.DType), "("+g.Pointer(len(g.Task.Ins)+output)+")", g.converted(output, from, v)
	switch o.DType {
	case tensor.Float16:
		return "ushort", fmt.Sprintf("((__global ushort *)%s)", at), fmt.Sprintf("half_bits(%s)", bits)
	case tensor.BFloat16:
		bits = fmt.Sprintf("(ushort)bfloat16_bits(%s)", bits)
	}
	return ctype, at, bits
}

// PutVector defines PUT_VECTOR(v, p), which stores v of vector type t at p; anywhere is t without alignment. Vectors
// that are lines, in rows that begin a given number of elements apart, go past the caches where they are whole lines there
// too: the rest of a line would be stored by itself.
func (g *Builder) PutVector(t, anywhere string, lanes int, pitches ...int64) {
	o := g.Task.Outs[0]
	past := lanes*o.DType.Size() == facts.LineBytes && g.Device.Streamed(g.Task, o.Bytes())
	for _, n := range pitches {
		past = past && n%int64(lanes) == 0
	}
	if past {
		g.Macro("PUT_VECTOR(v, p)", fmt.Sprintf("STREAM_LINE(%s, %s, v, p)", t, anywhere))
	} else {
		g.Macro("PUT_VECTOR(v, p)", fmt.Sprintf("(*(__global %s *)(p) = (v))", anywhere))
	}
}

// value is the variable that holds e, computed where guard holds.
func (f *fn) value(e *engine.Expr, guard string) string {
	key := "value " + e.Key()
	if usesMemory(e) {
		key = "value " + guard + " " + e.Key()
	}
	if v, ok := f.seen[key]; ok {
		return v
	}
	t := f.g.heldType(e.DType)
	switch e.Op {
	case engine.OpAcc:
		return f.accs[e.Input]
	case engine.OpRun:
		return "run"
	case engine.OpConst:
		return f.declare("v", t, key, f.g.number(e))
	case engine.OpIndex:
		long := e.Addr.Gathers()
		x := f.index(e.Addr, long, guard)
		if e.DType == tensor.Bool {
			x = "(" + x + ") != 0"
		}
		return f.declare("v", t, key, fmt.Sprintf("(%s)(%s)", RegType(e.DType), x))
	case engine.OpValid:
		g := f.guard(e.Conds, guard)
		if g == "" {
			g = "1"
		}
		return f.declare("v", t, key, g)
	case engine.OpLoad:
		return f.declare("v", t, key, f.load(e, guard))
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = f.value(a, guard)
	}
	return f.declare("v", t, key, apply(e, args))
}

// heldType is the type of a variable for values of a dtype: that of the register, or int for a
// compiler that gets lost where it chooses among bytes. Every value is cast to its own type before
// it is held in a wider one.
func (g *Builder) heldType(dt tensor.DType) string {
	if g.Device.WideBytes && dt.Size() == 1 {
		return "int"
	}
	return RegType(dt)
}

func (f *fn) load(e *engine.Expr, outer string) string {
	early, g := f.guards(e.Conds, outer)
	if g == "0" {
		return "0"
	}
	name, o, _ := f.g.Operand(e.Input)
	// A processor loads the first element where data points outside: a branch for each lane would keep loops from becoming vectors.
	first := f.g.Device.CPU && g != early && o.Len > 0 && !findsLines(e.Addr)
	var text string
	if first {
		text = fmt.Sprintf("LOAD_%v(%s, %s ? %s : 0)", o.DType, name, g, f.index(e.Addr, false, early))
	} else {
		text = fmt.Sprintf("LOAD_%v(%s, %s)", o.DType, name, f.address(e.Addr, g))
	}
	if RegType(o.DType) != RegType(e.DType) {
		text = castExpr(o.DType, e.DType, text)
	}
	t := f.g.heldType(e.DType)
	if t != RegType(e.DType) {
		// A shift by an amount that only the host knows to be zero: a compiler would put a value that it
		// knows to fit in 8 bits in 8 bits again, with all that depends on it.
		text = fmt.Sprintf("((%s)%s >> %s)", t, text, f.g.int("none", 0))
	}
	switch {
	case g == "":
		return text
	case first:
		text = f.declare("u", t, "anywhere "+text, text)
	}
	return fmt.Sprintf("%s ? %s : (%s)0", g, text, t)
}

// findsLines reports whether data says which lines of memory x is in, rather than which elements.
func findsLines(x *engine.Index) bool {
	return slices.ContainsFunc(x.Terms, func(t engine.Term) bool {
		return t.Atom.Kind == engine.AtomAxis && t.Coef == 1 && !slices.ContainsFunc(x.Terms, func(d engine.Term) bool {
			return d.Atom.Kind == engine.AtomData && access.Uses(d.Atom.Data, []int{t.Atom.Axis})
		})
	})
}

// usesMemory reports whether the text of e depends on the guard it stands under.
func usesMemory(e *engine.Expr) bool {
	for s := range e.Walk() {
		if s.Op == engine.OpLoad || s.Op == engine.OpValid {
			return true
		}
	}
	return false
}

// apply is the text of a scalar function's value, in its register type.
func apply(e *engine.Expr, args []string) string {
	in := make([]tensor.DType, len(e.Args))
	double := e.DType == tensor.Float64
	for i, a := range e.Args {
		in[i] = a.DType
		double = double || a.DType == tensor.Float64
	}
	c := formula(e, in)
	t := RegType(e.DType)
	if e.DType.IsInt() && isRing(c) {
		u := RingType(e.DType)
		for i := range args {
			args[i] = fmt.Sprintf("(%s)%s", u, args[i])
		}
	}
	text := fill(c, t, e.DType, in, args, double)
	if e.DType == tensor.Bool {
		return fmt.Sprintf("(uchar)((%s) != 0)", text)
	}
	return fmt.Sprintf("(%s)(%s)", t, text)
}

// formula is the OpenCL C formula of e for operands of dtypes in, before they are filled in. A float divided
// by a literal zero is multiplied by an infinity, which is the same: drivers take such a division for one that
// never happens (rusticl of Mesa 25.0, on which means of no elements were the old content of a register).
func formula(e *engine.Expr, in []tensor.DType) string {
	c := e.Fn.OpenCL
	if e.Fn.OpenCLFor != nil {
		if s := e.Fn.OpenCLFor(e.DType, in); s != "" {
			c = s
		}
	}
	if e.Applies(engine.FnDiv) && e.DType.IsFloat() && e.Args[1].Op == engine.OpConst && e.Args[1].Value.Float == 0 {
		if math.Signbit(e.Args[1].Value.Float) {
			return "a * -($T)INFINITY"
		}
		return "a * ($T)INFINITY"
	}
	return c
}

// isRing reports whether c holds nothing but operands, +, - and *.
func isRing(c string) bool { return strings.Trim(c, "abcd+-*() ") == "" }

// fill puts operands and types into the template c; see engine.Scalar.
// $cast(x), with x one operand, is x converted to the result's dtype.
func fill(c, t string, out tensor.DType, in []tensor.DType, args []string, double bool) string {
	var b strings.Builder
	for i := 0; i < len(c); {
		j := i + 1
		switch ch := c[i]; {
		case ch == '$' && strings.HasPrefix(c[i:], "$cast(") && i+7 < len(c) && c[i+7] == ')' && operandOf(c[i+6:i+7], args) >= 0:
			k := operandOf(c[i+6:i+7], args)
			b.WriteString(castExpr(in[k], out, args[k]))
			j = i + 8
		case ch == '$' && i+1 < len(c) && c[i+1] == 'T':
			b.WriteString(t)
			j = i + 2
		case ch == '$' && i+1 < len(c) && c[i+1] == 'A' && len(in) > 0:
			b.WriteString(RegType(in[0]))
			j = i + 2
		case isDigit(ch) || ch == '.' && i+1 < len(c) && isDigit(c[i+1]):
			for j < len(c) && (clbuiltin.IsWord(c[j]) || c[j] == '.' || (c[j] == '+' || c[j] == '-') && strings.IndexByte("eEpP", c[j-1]) >= 0 &&
				isExponent(c[i:j])) {
				j++
			}
			b.WriteString(number(c[i:j], double))
		case clbuiltin.IsWord(ch):
			for j < len(c) && clbuiltin.IsWord(c[j]) {
				j++
			}
			w := c[i:j]
			if k := operandOf(w, args); k >= 0 {
				w = args[k]
			} else if called := j < len(c) && c[j] == '('; double && called && (inMathDouble(w) || strings.HasPrefix(w, "special_")) {
				w = "double_" + w
			} else if double {
				w = doubleName(w)
			} else if called && inMath(w) {
				w = "wide_" + w
			}
			b.WriteString(w)
		default:
			b.WriteByte(ch)
		}
		i = j
	}
	return b.String()
}

// inMath reports whether lib/math.cl has the function for float.
func inMath(name string) bool {
	switch name {
	case "sin", "cos", "tan", "fmod", "exp_below":
		return true
	}
	return inMathDouble(name)
}

// inMathDouble reports whether lib/math_double.cl has the function for double.
func inMathDouble(name string) bool {
	switch name {
	case "log", "log2", "log1p", "exp", "exp2", "expm1", "sinh", "cosh", "tanh",
		"asinh", "acosh", "atanh", "hypot", "erf", "erfc", "asin", "acos", "atan", "atan2", "pow", "cospi", "exp_plus_1":
		return true
	}
	return false
}

func operandOf(w string, args []string) int {
	if len(w) == 1 && w[0] >= 'a' && int(w[0]-'a') < len(args) {
		return int(w[0] - 'a')
	}
	return -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isExponent reports whether the number that ends in e or p has an exponent
// there: in 0xe+1 the e is a digit.
func isExponent(s string) bool {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	last := s[len(s)-1] | 0x20
	return hex == (last == 'p')
}

// number drops the suffix of a float literal where doubles are meant.
func number(s string, double bool) string {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	if double && strings.HasSuffix(s, "f") && (!hex || strings.ContainsAny(s, "pP")) {
		return strings.TrimSuffix(s, "f")
	}
	return s
}

// doubleName gives the double's name of a float constant.
func doubleName(w string) string {
	switch {
	case strings.HasPrefix(w, "M_") && strings.HasSuffix(w, "_F"):
		return strings.TrimSuffix(w, "_F")
	case strings.HasPrefix(w, "FLT_"):
		return "DBL_" + strings.TrimPrefix(w, "FLT_")
	case w == "HUGE_VALF":
		return "HUGE_VAL"
	}
	return w
}

package codegen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/tensor"
)

// VectorLanes is how many neighbours most vector hooks compute.
const VectorLanes = 16

// VectorHook defines the macro name(coords...) of a kernel file as the values of e, converted to
// dtype to, for 8 or 16 neighbours along axis, which a coordinate holds alone. Compilers turn
// loops over a hook into vectors, but not every loop, nor do they keep the vectors in registers:
// where e is no more than arithmetic on neighbours in memory, it is written out. It reports false,
// and defines nothing, where e is more than that. Unless ahead is 0, the memory ahead bytes further
// is prefetched too.
func (g *Builder) VectorHook(name string, coords []Coord, axis, lanes int, e *engine.Expr, to tensor.DType, ahead int) bool {
	return g.VectorFunction(name, coords, parametersOf(coords), nil, axis, lanes, e, to, ahead)
}

// VectorOfSums is VectorHook with a last parameter: as many accumulated values of register type acc.
//
// In long functions an operation without a vector form is a loop over the lanes, which compilers turn into one: in the loops around
// a hook for one value they unroll tiles first, and find no vectors in the unrolled code. Short ones are faster there.
func (g *Builder) VectorOfSums(name string, coords []Coord, axis, lanes int, e *engine.Expr, to, acc tensor.DType, ahead int) bool {
	params := append(parametersOf(coords), Param{VectorType(acc, lanes), "acc", ""})
	f := &fn{g: g, seen: map[string]string{}, coords: coords, width: lanes, accs: map[int]string{0: lanesOf + "acc"}, ahead: ahead,
		loops: isLong(e)}
	return f.vectorFunction(name, params, axis, e, to)
}

// lanesOf before the name of a result says that it is a vector.
const lanesOf = "lanes of "

// VectorFunction is VectorHook with the parameters and results of function. A
// result may be a vector, or an element of an array, as in "st0[c]", whose
// neighbours are wanted too.
func (g *Builder) VectorFunction(name string, coords []Coord, params []Param, accs map[int]string, axis, lanes int, e *engine.Expr,
	to tensor.DType, ahead int) bool {
	f := &fn{g: g, seen: map[string]string{}, coords: coords, width: lanes, accs: accs, ahead: ahead}
	return f.vectorFunction(name, params, axis, e, to)
}

func (f *fn) vectorFunction(name string, params []Param, axis int, e *engine.Expr, to tensor.DType) bool {
	v, ok := f.vector(e, axis)
	if ok {
		v, ok = vectorCast(e.DType, to, f.width, v)
	}
	if !ok {
		return false
	}
	f.g.write(name, VectorType(to, f.width), params, f.body.String()+fmt.Sprintf("    return %s;\n", v))
	return true
}

// VectorType is the C type of a vector of values of dt.
func VectorType(dt tensor.DType, lanes int) string { return fmt.Sprintf("%s%d", RegType(dt), lanes) }

// vector is the variable that holds f.width neighbours of e along axis.
func (f *fn) vector(e *engine.Expr, axis int) (v string, ok bool) {
	key := "vector " + e.Key()
	if v, ok := f.seen[key]; ok {
		return v, true
	}
	var text string
	switch {
	case e.Op == engine.OpAcc && f.lanes(e) != "":
		return f.lanes(e), true
	case !f.spread(e, axis):
		text, ok = fmt.Sprintf("(%s)(%s)", VectorType(e.DType, f.width), f.value(e, "")), true
	case e.Op == engine.OpLoad:
		text, ok = f.loadVector(e, axis)
	case e.Op == engine.OpApply:
		text, ok = f.applyVector(e, axis)
	}
	if !ok {
		return "", false
	}
	return f.declare("v", VectorType(e.DType, f.width), key, text), true
}

// lanes is the text of the vector that result e is, or "" where it is one value.
func (f *fn) lanes(e *engine.Expr) string {
	acc := f.accs[e.Input]
	if v, ok := strings.CutPrefix(acc, lanesOf); ok {
		return v
	}
	if strings.HasSuffix(acc, "]") {
		if e.DType == tensor.Float32 { // the compiler sees that it was just stored
			return fmt.Sprintf("(*(STAGE_SPACE const FLOAT16_ANYWHERE *)&%s)", acc)
		}
		return fmt.Sprintf("vload%d(0, &%s)", f.width, acc)
	}
	return ""
}

// spread reports whether e differs between neighbours along axis.
func (f *fn) spread(e *engine.Expr, axis int) bool {
	if access.Uses(e, []int{axis}) {
		return true
	}
	for s := range e.Walk() {
		if s.Op == engine.OpAcc && f.lanes(s) != "" {
			return true
		}
	}
	return false
}

func (f *fn) loadVector(e *engine.Expr, axis int) (string, bool) {
	name, o, _ := f.g.Operand(e.Input)
	switch {
	case e.Addr.Gathers() || RegType(o.DType) != RegType(e.DType):
		return "", false
	case len(access.Unproven(e.Conds, f.g.Task.Axes)) > 0 || access.StrideAlong(e.Addr, axis) != 1:
		return f.loadPieces(e, axis)
	}
	at := f.index(e.Addr, false, "")
	size := o.DType.Size()
	for line := 0; f.ahead > 0 && line < f.width*size; line += 64 {
		fmt.Fprintf(&f.body, "    FETCH_LINE(%s + %s + %d);\n", name, at, (f.ahead+line)/size)
	}
	return f.loadLine(e, at), true
}

// loadLine is the text that loads the neighbours in memory from element at on.
func (f *fn) loadLine(e *engine.Expr, at string) string {
	name, o, _ := f.g.Operand(e.Input)
	loads := "LOADS"
	if f.width != VectorLanes {
		loads = fmt.Sprint("LOADS", f.width)
	}
	return fmt.Sprintf("%s_%v(%s, %s)", loads, o.DType, name, at)
}

// choices turns a choice between numbers into one between vectors of them: a
// comparison has a mask for each lane there.
var choices = strings.NewReplacer("isnan(b)", "(b != b)", "||", "|", "&&", "&", "0", "($T)(0)")

// applyVector is the text of a function that OpenCL C has for vectors as it
// stands: + - * / of one register type, absolute values, the larger and the
// smaller of two, and casts.
func (f *fn) applyVector(e *engine.Expr, axis int) (string, bool) {
	if e.Applies(engine.FnSelect) && e.Args[0].DType == tensor.Bool && e.DType != tensor.Bool {
		return f.chosenVector(e, axis)
	}
	in := make([]tensor.DType, len(e.Args))
	args := make([]string, len(e.Args))
	same := true
	for i, a := range e.Args {
		v, ok := f.vector(a, axis)
		if !ok {
			return "", false
		}
		in[i], args[i] = a.DType, v
		same = same && RegType(a.DType) == RegType(e.DType)
	}
	c := formula(e, in)
	switch {
	case e.Applies(engine.FnCast):
		return vectorCast(in[0], e.DType, f.width, args[0])
	case !same || e.DType == tensor.Bool:
		return "", false
	case e.Fn == ExpBelow && e.DType == tensor.Float32:
		return fmt.Sprintf("wide_exp_below_%d(%s)", f.width, args[0]), true
	case e.DType.IsFloat() && strings.Contains(c, "?") && strings.Trim(strings.ReplaceAll(c, "isnan", ""), "ab0<>=|&?:()+*/ ") == "":
		return fill(choices.Replace(c), VectorType(e.DType, f.width), e.DType, in, args, false), true
	case e.DType.IsFloat() && (e.Applies(engine.FnAbs) || strings.Trim(c, "abcd+-*/() ") == ""):
		return fill(c, VectorType(e.DType, f.width), e.DType, in, args, e.DType == tensor.Float64), true
	case e.DType.IsInt() && e.DType.Size() >= 4 && isRing(c):
		// Signed overflow is undefined in C, of vectors too.
		for i, a := range args {
			args[i] = fmt.Sprintf("as_%s%d(%s)", RingType(e.DType), f.width, a)
		}
		return fmt.Sprintf("as_%s(%s)", VectorType(e.DType, f.width), fill(c, VectorType(e.DType, f.width), e.DType, in, args, false)), true
	case f.loops && e.DType == tensor.Float32 && f.g.Device.CPU && onlyMath(c):
		return f.loop(e, c, in, args), true
	}
	return "", false
}

// loop writes a loop over lanes that computes e, of which c is the text, from vectors, and gives the vector of its results.
func (f *fn) loop(e *engine.Expr, c string, in []tensor.DType, args []string) string {
	f.count++
	lanes := make([]string, len(args))
	for i, a := range args {
		name := fmt.Sprintf("l%d_%d", f.count, i)
		fmt.Fprintf(&f.body, "    float %s[%d] LINES;\n    vstore%d(%s, 0, %s);\n", name, f.width, f.width, a, name)
		lanes[i] = name + "[l_]"
	}
	out := fmt.Sprintf("l%d", f.count)
	fmt.Fprintf(&f.body, "    float %s[%d] LINES;\n    WIDE_SHORT for (int l_ = 0; l_ < %d; l_++) %s[l_] = %s;\n", out, f.width, f.width, out,
		fill(c, RegType(e.DType), e.DType, in, lanes, false))
	return fmt.Sprintf("vload%d(0, %s)", f.width, out)
}

var call = regexp.MustCompile(`(\w+)\(`)

// called are the names of the functions that the text c calls.
func called(c string) (names []string) {
	for _, m := range call.FindAllStringSubmatch(c, -1) {
		names = append(names, m[1])
	}
	return names
}

// short are functions of lib/math.cl that compilers make vectors of even between unrolled tiles.
var short = []string{"exp", "exp2", "exp_plus_1", "exp_below", "tanh", "erf", "log", "log2"}

// isLong reports whether e calls another function of lib/math.cl than these, or two of them.
func isLong(e *engine.Expr) bool {
	calls, long := 0, false
	for s := range e.Walk() {
		if s.Op != engine.OpApply {
			continue
		}
		for _, name := range called(s.Fn.OpenCL) {
			if inMath(name) {
				calls++
				long = long || !slices.Contains(short, name)
			}
		}
	}
	return long || calls > 1
}

// onlyMath reports whether c calls functions of lib/math.cl, one at least, and no others but those that processors have: nothing
// that a loop over it would call for each lane.
func onlyMath(c string) bool {
	own := false
	for _, name := range called(c) {
		own = own || inMath(name)
		if !inMath(name) && !slices.Contains([]string{"fabs", "fmax", "fmin", "sqrt", "isnan"}, name) {
			return false
		}
	}
	return own
}

// chosenVector is the text of a choice by a condition that is a mask.
func (f *fn) chosenVector(e *engine.Expr, axis int) (string, bool) {
	mask, ok := f.mask(e.Args[0], axis, RegSize(e.DType))
	var of [2]string
	for i := range of {
		if a := e.Args[i+1]; ok && RegType(a.DType) == RegType(e.DType) {
			of[i], ok = f.vector(a, axis)
		} else {
			ok = false
		}
	}
	return fmt.Sprintf("(%s) ? %s : %s", mask, of[0], of[1]), ok
}

// comparisons are the operators of OpenCL C, which compare vectors too.
var comparisons = map[engine.Function]string{
	engine.FnEqual: "==", engine.FnNotEqual: "!=", engine.FnLess: "<", engine.FnLessEqual: "<=", engine.FnGreater: ">",
	engine.FnGreaterEqual: ">=",
}

// mask is the text of a condition for f.width neighbours, whose lanes have all bits set where it is true and size bytes.
func (f *fn) mask(e *engine.Expr, axis int, size int64) (string, bool) {
	if e.Op == engine.OpValid {
		return f.insideVector(e.Conds, axis, size)
	}
	if e.Op != engine.OpApply || e.DType != tensor.Bool {
		return "", false
	}
	in, args, compared := make([]tensor.DType, len(e.Args)), make([]string, len(e.Args)), e.Args[0].DType
	for i, a := range e.Args {
		ok := false
		in[i] = a.DType
		switch {
		case compared == tensor.Bool:
			args[i], ok = f.mask(a, axis, size)
		case a.DType == compared && RegSize(a.DType) == size:
			args[i], ok = f.vector(a, axis)
		}
		if !ok {
			return "", false
		}
	}
	fn := e.Fn.Function
	switch {
	case compared == tensor.Bool:
		switch fn {
		case engine.FnAnd:
			return fmt.Sprintf("(%s) & (%s)", args[0], args[1]), true
		case engine.FnOr:
			return fmt.Sprintf("(%s) | (%s)", args[0], args[1]), true
		case engine.FnNot:
			return fmt.Sprintf("~(%s)", args[0]), true
		}
		return "", false
	case comparisons[fn] != "":
		return fmt.Sprintf("%s %s %s", args[0], comparisons[fn], args[1]), true
	case fn == engine.FnIsNaN:
		return fmt.Sprintf("%s != %[1]s", args[0]), true
	case fn == engine.FnIsInf:
		return fmt.Sprintf("fabs(%s) == (%s)INFINITY", args[0], VectorType(compared, f.width)), true
	case fn == engine.FnIsFinite:
		return fmt.Sprintf("fabs(%s) < (%s)INFINITY", args[0], VectorType(compared, f.width)), true
	}
	return "", false
}

// vectorCast is castExpr for vectors, where it is one conversion.
func vectorCast(from, to tensor.DType, lanes int, x string) (string, bool) {
	switch {
	case from == to:
		return x, true
	case to == tensor.Bool || IsHalfType(to) || from.IsFloat() && to.IsInt():
		return "", false
	case RegType(from) == RegType(to):
		return x, true
	case to.IsInt() && to.Size() <= from.Size():
		return "", false // wraps
	}
	return fmt.Sprintf("convert_%s(%s)", VectorType(to, lanes), x), true
}

// LoopLanes is how many elements fill a vector of 64 bytes in a loop over cols
// that computes values and keeps elements of widest bytes, or 0 where columns
// that follow each other do not read neighbours: it is for the compiler to say
// whether vectors pay there.
func LoopLanes(cols []int, widest int64, values ...*engine.Expr) int {
	if len(cols) == 0 {
		return 0
	}
	for _, e := range values {
		if d := access.Stride(e, cols[len(cols)-1]); len(cols) > 1 || d < 0 || d > 1 {
			return 0
		}
		for s := range e.Walk() {
			widest = max(widest, RegSize(s.DType))
		}
	}
	return int(64 / widest)
}

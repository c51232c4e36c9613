package codegen

import (
	"fmt"
	"maps"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// mostFloats is how many different floats of a program are arguments at most. Where there are more they are coefficients of a
// polynomial, which no other program has with other values.
const mostFloats = 8

// number is the text of the constant e: a literal, or an argument of the kernel, so that layers that differ in a scale or a zero
// point, and graphs that differ in sizes, share the program.
func (g *Builder) number(e *engine.Expr) string {
	if g.numbers == nil {
		g.numbers = parameters(g.Task)
	}
	if !g.numbers[e.Key()] {
		return Literal(e.DType, e.Value.Float, e.Value.Int)
	}
	if e.DType.IsFloat() { // the argument has its bits
		bits := math.Float32bits(float32(e.Value.Float))
		return fmt.Sprintf("as_float((int)(%s))", g.int(fmt.Sprintf("f%08x", bits), int64(int32(bits))))
	}
	return fmt.Sprintf("(%s)(%s)", RegType(e.DType), g.int(fmt.Sprintf("c%d", e.Value.Int), e.Value.Int))
}

// parameters are the keys of t's constants that are arguments.
func parameters(t *engine.Task) map[string]bool {
	found, floats := map[string]bool{}, map[string]bool{}
	read := func(e *engine.Expr, any bool) {
		if isLongInt(e) {
			before, met := found[e.Key()]
			found[e.Key()] = any && (before || !met)
		}
	}
	for _, root := range t.Exprs() {
		read(root, true)
		for e := range root.Walk() {
			if isLongFloat(e) {
				floats[e.Key()] = true
			}
			for _, a := range e.Args {
				read(a, takesAny(e.Fn.Function))
			}
		}
	}
	if len(floats) <= mostFloats {
		maps.Copy(found, floats)
	}
	return found
}

// isLongFloat reports whether e is a finite constant, held as a float, that bfloat16 does not hold. The others, such as 0, 0.5, 2 or
// 100, are for the compiler to know: it leaves out a product with 1, and a test for NaN.
func isLongFloat(e *engine.Expr) bool {
	if e.Op != engine.OpConst || !e.DType.IsFloat() || e.DType == tensor.Float64 {
		return false
	}
	bits := math.Float32bits(float32(e.Value.Float))
	return bits&0xffff != 0 && bits>>23&0xff != 0xff
}

// isLongInt reports whether e is an integer constant that an argument can hold, but for 0 and those beside it.
func isLongInt(e *engine.Expr) bool {
	return e.Op == engine.OpConst && e.DType.IsInt() && e.Value.Int == int64(int32(e.Value.Int)) && (e.Value.Int < -1 || e.Value.Int > 1)
}

// takesAny reports whether f is no faster for a number that the compiler knows, as a division is.
func takesAny(f engine.Function) bool {
	switch f {
	case engine.FnAdd, engine.FnSub, engine.FnCast, engine.FnSelect,
		engine.FnEqual, engine.FnNotEqual, engine.FnLess, engine.FnLessEqual, engine.FnGreater, engine.FnGreaterEqual:
		return true
	}
	return false
}

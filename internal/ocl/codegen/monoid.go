package codegen

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// FactorsOfDouble is how many float32 double multiplies with an error below one in their last place.
const FactorsOfDouble = 1 << 30

// MultipliesMany reports whether f multiplies so many floats, of n, that the roundings of their products count.
func MultipliesMany(f engine.Fold, n int64) bool {
	return f.Monoid == engine.Prod && f.Acc.IsFloat() && n > ShortSum
}

// ShortSum is how many floats a state adds up one after the other where that is all: sums of more are
// carried to compensated totals, in runs of half as many. Totals cost a fifth of the time of sums of 64 in
// a cache (PoCL 3.1, two cores of an AMD EPYC VM).
const ShortSum = 64

// WriteMonoid defines the macros of reduce/any_monoid.cl for f, whose states are of val and take length values each at most.
func WriteMonoid(b *strings.Builder, f engine.Fold, val tensor.DType, length int64) {
	macro := func(name string, value any) { fmt.Fprintf(b, "#define %s %v\n", name, value) }
	name := map[engine.Monoid]string{
		engine.Sum: "SUM", engine.Prod: "PROD", engine.Min: "MIN", engine.Max: "MAX", engine.ArgMin: "MIN", engine.ArgMax: "MAX",
	}[f.Monoid]
	macro("FOLD", "FOLD_"+name)
	macro("IS_ARG", OneIf(f.Monoid.IsArg()))
	macro("EXACT", OneIf(f.Monoid == engine.Sum && val.IsFloat() && length > ShortSum))
	if f.Monoid.IsArg() {
		macro("BEATS", "BEATS_"+name)
	}
	macro("VAL", RegType(val))
	macro("OUT_ACC", RegType(f.Acc))
	ring := RegType(val)
	if !val.IsFloat() {
		ring = RingType(val)
	}
	macro("RING", ring)
	macro("IDENTITY", "("+Identity(f.Monoid, val)+")")
}

// FoldType is the dtype of the values that f folds, which is not that of a position.
func FoldType(f engine.Fold) tensor.DType {
	if f.Monoid.IsArg() {
		return f.Value.DType
	}
	return f.Acc
}

// Identity is the text of a fold's identity.
func Identity(f engine.Monoid, dt tensor.DType) string {
	least := f == engine.Max || f == engine.ArgMax
	switch {
	case f == engine.Sum:
		return Literal(dt, 0, 0)
	case f == engine.Prod:
		return Literal(dt, 1, 1)
	case dt.IsFloat() && least:
		return "-INFINITY"
	case dt.IsFloat():
		return "INFINITY"
	case dt == tensor.Bool && least:
		return "0"
	case dt == tensor.Bool:
		return "1"
	}
	bits := 8 * dt.Size()
	switch {
	case dt.IsSigned() && least:
		return Literal(dt, 0, -1<<(bits-1))
	case dt.IsSigned():
		return Literal(dt, 0, 1<<(bits-1)-1)
	case least:
		return Literal(dt, 0, 0)
	}
	return Literal(dt, 0, -1) // all bits set
}

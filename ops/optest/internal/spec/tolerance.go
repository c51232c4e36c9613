package spec

import (
	"fmt"
	"math"
	"strings"

	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/tensor"
)

// Tolerance bounds the error of one op. For an exact result v and a computed
// result w of dtype T,
//
//		|w - v| <= ULP·ulp(v) + Terms·N·u·Σ|terms| + store + tiny
//
//	  - ULP counts in units of the register type: float32 for float16, bfloat16
//	    and float32; float64 for float64.
//	  - Terms·N·u·Σ|terms| is the bound for a sum in any order of N terms, with
//	    unit roundoff u of the register type. Source: Higham, Accuracy and
//	    Stability of Numerical Algorithms (2002), section 4.2.
//	  - store is half an ulp of T where T is narrower than its register, and for
//	    a composition as much again, relative to Σ|terms|, for each of its parts
//	    that may be stored on the way.
//	  - tiny is the smallest normal float32: devices may flush subnormals of
//	    float32 to zero, as operands and as results (OpenCL C 3.0, section
//	    7.5.3). It is 0 for float64 and float16, whose subnormals must stay.
//
// NaN equals NaN, an infinity equals only itself, and the sign of zero is not
// compared. Integers and bools are exact.
type Tolerance struct {
	ULP    float64 // float32 registers
	ULP64  float64 // float64 registers
	Terms  float64
	Stored int // intermediate values of a composition that may be rounded to T
	// Moves marks ops that touch no value: even subnormals must arrive.
	Moves  bool
	Source string
}

// The sources of the figures.
const (
	OpenCL      = "OpenCL C 3.0, section 7.4, table 7.2 (float) and 7.3 (double)"
	IEEE        = "IEEE 754: correctly rounded, as OpenCL C 3.0 section 7.4 demands"
	Unchanged   = "moves or compares values and computes none"
	AnySum      = "a sum in any order: n·u·Σ|terms|"
	Composition = "composition: the sum of its parts' bounds"
)

// Exact is the tolerance of ops that compute no new value, but may look at
// one in a register that flushes subnormals.
var Exact = Tolerance{Source: Unchanged}

// Moved is the tolerance of ops that only move elements.
var Moved = Tolerance{Moves: true, Source: Unchanged}

// Rounded is the tolerance of one correctly rounded operation.
var Rounded = Tolerance{ULP: 0.5, ULP64: 0.5, Source: IEEE}

// Builtin is the tolerance of a function of OpenCL C with different bounds for
// float and double. The reference itself has an error of up to one unit of double,
// which [Tolerance.bound] adds.
func Builtin(ulp, ulp64 float64) Tolerance {
	return Tolerance{ULP: ulp, ULP64: ulp64, Source: OpenCL}
}

// Phase is builtin for functions of an angle, with the terms that the reference gives for
// large ones.
func Phase(ulp float64) Tolerance {
	return Tolerance{ULP: ulp, ULP64: ulp, Terms: 1, Source: OpenCL}
}

// Composed is the tolerance of a composition, with bounds for float and double.
func Composed(ulp, ulp64 float64) Tolerance {
	return Tolerance{ULP: ulp, ULP64: ulp64, Source: Composition}
}

// Summed is the tolerance of a sum of products.
func Summed(source string) Tolerance {
	return Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: source}
}

// ErrorBound is the largest error allowed to an element whose exact value is v, with
// N and Σ|terms| from the reference.
func ErrorBound(t Tolerance, dt tensor.DType, v, n, terms float64) float64 {
	store, register := format.Of(dt), format.Accumulator(dt)
	var b float64
	switch {
	case t.ULP == 0 && t.ULP64 == 0 && t.Terms == 0: // exact
	case dt == tensor.Float64: // where the reference errs as well
		b = (t.ULP64+referenceULP(t.ULP64))*register.ULP(v) + 2*t.Terms*n*register.Unit()*terms
	case dt == tensor.Float32:
		b = t.ULP*register.ULP(v) + t.Terms*n*register.Unit()*terms
	default:
		b = t.ULP*register.ULP(v) + t.Terms*n*register.Unit()*terms +
			0.5*store.ULP(v) + float64(t.Stored)*store.Unit()*max(terms, math.Abs(v))
	}
	if !t.Moves && !store.Subnormals {
		b += store.MinNormal()
	}
	return b
}

// referenceULP is the error of the reference itself in float64: none where the
// operation is correctly rounded by the host too.
func referenceULP(ulp64 float64) float64 {
	if ulp64 <= 0.5 {
		return 0
	}
	return 1
}

// Bound says in words how far results of an op in dt may be from the exact ones, and where
// that comes from.
func Bound(op string, dt tensor.DType) (bound, source string) {
	t := Of(op).Tolerance
	return boundText(t, dt), t.Source
}

func boundText(t Tolerance, dt tensor.DType) string {
	ulp := t.ULP
	if dt == tensor.Float64 {
		ulp = t.ULP64
	}
	if !dt.IsFloat() || ulp == 0 && t.Terms == 0 {
		return "exact"
	}
	var parts []string
	narrow := dt == tensor.Float16 || dt == tensor.BFloat16
	switch {
	case ulp != 0 && narrow:
		parts = append(parts, fmt.Sprintf("0.5 ulp + %v ulp of float32", ulp))
	case ulp != 0:
		parts = append(parts, fmt.Sprintf("%v ulp", ulp))
	case narrow:
		parts = append(parts, "0.5 ulp")
	}
	if t.Terms != 0 {
		parts = append(parts, "n·u·Σ|terms|")
	}
	return strings.Join(parts, " + ")
}

var NormTolerance = Tolerance{ULP: 32, ULP64: 16, Terms: 1, Stored: 4, Source: Composition}

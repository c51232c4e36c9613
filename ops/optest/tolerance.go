package optest

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

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
	spec        = "OpenCL C 3.0, section 7.4, table 7.2 (float) and 7.3 (double)"
	ieee        = "IEEE 754: correctly rounded, as OpenCL C 3.0 section 7.4 demands"
	unchanged   = "moves or compares values and computes none"
	anySum      = "a sum in any order: n·u·Σ|terms|"
	composition = "composition: the sum of its parts' bounds"
)

// exact is the tolerance of ops that compute no new value, but may look at
// one in a register that flushes subnormals.
var exact = Tolerance{Source: unchanged}

// moved is the tolerance of ops that only move elements.
var moved = Tolerance{Moves: true, Source: unchanged}

// rounded is the tolerance of one correctly rounded operation.
var rounded = Tolerance{ULP: 0.5, ULP64: 0.5, Source: ieee}

// builtin is the tolerance of a function of OpenCL C with different bounds for
// float and double.
func builtin(ulp, ulp64 float64) Tolerance {
	return Tolerance{ULP: ulp, ULP64: ulp64, Source: spec}
}

// phase is builtin for functions of an angle, with what the reference says of
// large ones.
func phase(ulp float64) Tolerance {
	return Tolerance{ULP: ulp, ULP64: ulp, Terms: 1, Source: spec}
}

// summed is the tolerance of a sum of products.
func summed(source string) Tolerance {
	return Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: source}
}

// tolerances is the one table of them. Units of the double functions are those
// of table 7.3; this project's reference has itself an error of up to one unit
// there, which [Tolerance.bound] adds.
var tolerances = map[string]Tolerance{
	"add": rounded, "sub": rounded, "mul": rounded, "square": rounded,
	"div":  builtin(2.5, 0.5),
	"rem":  {Source: spec + ": fmod is exact"},
	"neg":  exact,
	"abs":  exact,
	"sign": exact,

	"maximum": exact, "minimum": exact, "relu": exact, "clip": exact,
	"floor": exact, "ceil": exact, "round": exact, "trunc": exact,
	"is_nan": exact, "is_inf": exact, "is_finite": exact,
	"and": exact, "or": exact, "xor": exact, "not": exact,
	"shift_left": exact, "shift_right": exact,
	"equal": exact, "not_equal": exact, "less": exact,
	"less_equal": exact, "greater": exact, "greater_equal": exact,
	"where": exact,
	"cast":  {ULP: 0.5, ULP64: 0.5, Source: "OpenCL C 3.0, section 6.2.3: rounded once, to nearest even"},

	"sqrt":       builtin(3, 0.5),
	"rsqrt":      builtin(2, 2),
	"reciprocal": builtin(2.5, 0.5),
	"exp":        builtin(3, 3), "exp2": builtin(3, 3), "expm1": builtin(3, 3),
	"log": builtin(3, 3), "log2": builtin(3, 3), "log1p": builtin(2, 2),
	"sin": phase(4), "cos": phase(4), "tan": phase(5),
	"asin": builtin(4, 4), "acos": builtin(4, 4), "atan": builtin(5, 5),
	"atan2": builtin(6, 6),
	"sinh":  builtin(4, 4), "cosh": builtin(4, 4), "tanh": builtin(5, 5),
	"erf": builtin(16, 16),
	"pow": builtin(16, 16),

	// exp, an addition of positive numbers, a division.
	"sigmoid": {ULP: 3 + 0.5 + 2.5, ULP64: 3 + 0.5 + 0.5, Source: composition},
	"silu":    {ULP: 3 + 0.5 + 2.5, ULP64: 3 + 0.5 + 0.5, Source: composition},
	// exp, log1p, an addition of two numbers that are not negative.
	"softplus":   {ULP: 3 + 2 + 1, ULP64: 3 + 2 + 1, Source: composition},
	"elu":        {ULP: 3 + 0.5, ULP64: 3 + 0.5, Source: composition},
	"leaky_relu": rounded,
	// x + 3, two comparisons, a quotient, a product. Next to -3 the addition is
	// exact.
	"hardswish": {ULP: 0.5 + 2.5 + 1, ULP64: 2, Source: composition},
	// erfc 16, two products, and the rounding of its argument z, which counts
	// up to x² + 1 = 17 times at x = -4, where the samples end.
	"gelu": {ULP: 16 + 1 + 17, ULP64: 16 + 1 + 17, Source: composition},
	// As silu, and the rounding of the exponent, good to 2, which counts 11
	// times at x = -4.
	"gelu_tanh": {ULP: 3 + 0.5 + 2.5 + 22, ULP64: 3 + 0.5 + 0.5 + 22, Source: composition},

	"reshape": moved, "transpose": moved, "broadcast_to": moved, "slice": moved,
	"pad": moved, "concat": moved, "windows": moved, "stop_gradient": moved,
	"lookup": exact, "lookup_strings": exact, "non_max_suppression": exact, "unique": moved,
	"top_k": moved, "sort": moved,
	"tree_ensemble": {ULP: 8, ULP64: 8, Terms: 1, Source: anySum + " of weights; a transform is a composition"},
	"if":            moved, "while": moved, "scan": moved,
	"gather": moved, "take_along": moved, "one_hot": moved, "embedding": moved,
	"iota": {Source: unchanged, ULP: 0.5, ULP64: 0.5},

	"uniform": {ULP: 0.5, ULP64: 0.5, Moves: true, Source: "Salmon et al., Philox: bits as they come"},
	"normal":  {ULP: 1, ULP64: 1, Terms: 1, Source: composition + ": relative to √(-2 ln u)"},

	"max": exact, "min": exact, "argmax": exact, "argmin": exact,
	"any": exact, "every": exact,
	"sum":         summed(anySum),
	"cumsum":      summed(anySum),
	"prod":        summed("a product in any order: n·u·|product|"),
	"matmul":      summed(anySum + " of products"),
	"conv2d":      summed(anySum + " of products"),
	"scatter_add": summed(anySum),

	"matmul_integer": exact, "conv_integer": exact, "quantize_linear": exact,
	"dequantize_linear": {ULP: 0.5, ULP64: 0.5, Source: ieee},

	"max_pool2d": exact,
	"avg_pool2d": {ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: composition},

	"mean":        {ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: composition},
	"variance":    {ULP: 3, ULP64: 1, Terms: 1, Stored: 4, Source: composition},
	"log_sum_exp": {ULP: 6, ULP64: 6, Terms: 1, Stored: 4, Source: composition},

	// Relative to what the logarithms and exponents add up to; 16-bit floats
	// are computed in float32.
	"softmax":          {ULP: 16, ULP64: 8, Terms: 1, Source: composition},
	"log_softmax":      {ULP: 16, ULP64: 8, Terms: 1, Source: composition},
	"cross_entropy":    {ULP: 16, ULP64: 8, Terms: 1, Source: composition},
	"dropout":          {ULP: 1, ULP64: 1, Source: composition},
	"batch_norm":       {ULP: 16, ULP64: 8, Terms: 1, Source: composition},
	"batch_norm_train": {ULP: 32, ULP64: 8, Terms: 1, Source: composition},
	"attention":        {ULP: 16, ULP64: 8, Terms: 1, Source: composition},
	"layer_norm":       {ULP: 32, ULP64: 8, Terms: 1, Source: composition},
}

// bound is the largest error allowed to an element whose exact value is v, with
// N and Σ|terms| from the reference.
func (t Tolerance) bound(dt tensor.DType, v, n, terms float64) float64 {
	store, register := formatOf(dt), accumulator(dt)
	var b float64
	switch {
	case t.ULP == 0 && t.ULP64 == 0 && t.Terms == 0: // exact
	case dt == tensor.Float64: // where the reference errs as well
		b = (t.ULP64+referenceULP(t.ULP64))*register.ulp(v) + 2*t.Terms*n*register.unit()*terms
	case dt == tensor.Float32:
		b = t.ULP*register.ulp(v) + t.Terms*n*register.unit()*terms
	default:
		b = t.ULP*register.ulp(v) + t.Terms*n*register.unit()*terms +
			0.5*store.ulp(v) + float64(t.Stored)*store.unit()*max(terms, math.Abs(v))
	}
	if !t.Moves && !store.subnormals {
		b += store.minNormal()
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

// Tolerances yields the name of every op in the table with its tolerance.
func Tolerances() iter.Seq2[string, Tolerance] {
	return func(yield func(string, Tolerance) bool) {
		for _, name := range slices.Sorted(maps.Keys(tolerances)) {
			if !yield(name, tolerances[name]) {
				return
			}
		}
	}
}

// Bound says in words how far results of an op in dt may be from the exact ones, and where
// that comes from.
func Bound(op string, dt tensor.DType) (bound, source string) {
	t := tolerances[op]
	return t.text(dt), t.Source
}

func (t Tolerance) text(dt tensor.DType) string {
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

package nn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Init fills the weights w of a parameter of the given shape, row by row, with numbers of r.
type Init func(r *rand.Rand, w []float64, shape []int)

// fans returns the number of inputs that an output of the weights sums up, and the number of outputs that an input has a part in:
// of a weight [O, I, ...], I and O times the extents behind.
func fans(shape []int) (in, out float64) {
	if len(shape) < 2 {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return float64(n), float64(n)
	}
	window := 1
	for _, d := range shape[2:] {
		window *= d
	}
	return float64(shape[1] * window), float64(shape[0] * window)
}

// Constant fills with v.
func Constant(v float64) Init {
	return func(_ *rand.Rand, w []float64, _ []int) {
		for i := range w {
			w[i] = v
		}
	}
}

// Zeros and Ones fill with 0 and 1.
var (
	Zeros = Constant(0)
	Ones  = Constant(1)
)

// Values fills with the given numbers: as many as the parameter has, or its first ones.
func Values(v ...float64) Init {
	return func(_ *rand.Rand, w []float64, _ []int) { copy(w, v) }
}

// Uniform draws from [lo, hi).
func Uniform(lo, hi float64) Init {
	return func(r *rand.Rand, w []float64, _ []int) {
		for i := range w {
			w[i] = lo + (hi-lo)*r.Float64()
		}
	}
}

// Normal draws from the normal distribution with that mean and deviation.
func Normal(mean, deviation float64) Init {
	return func(r *rand.Rand, w []float64, _ []int) {
		for i := range w {
			w[i] = mean + deviation*r.NormFloat64()
		}
	}
}

// TruncatedNormal draws from the normal distribution with that mean and deviation, truncated to [lo, hi]. Where
// lo is not below hi, all numbers are lo.
func TruncatedNormal(mean, deviation, lo, hi float64) Init {
	// By the inverse of the cumulative distribution, which takes one draw however narrow the bounds are.
	below := func(x float64) float64 { return 0.5 * math.Erfc(-(x-mean)/(deviation*math.Sqrt2)) }
	from, to := below(lo), below(hi)
	return func(r *rand.Rand, w []float64, _ []int) {
		for i := range w {
			p := from + (to-from)*r.Float64()
			w[i] = min(max(mean-deviation*math.Sqrt2*math.Erfcinv(2*p), lo), max(lo, hi))
		}
	}
}

// XavierUniform draws from ±gain·√(6 / (in + out)), where in and out are how many numbers an output sums up and an
// input has a part in. Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks (2010).
func XavierUniform(gain float64) Init {
	return func(r *rand.Rand, w []float64, shape []int) {
		in, out := fans(shape)
		bound := gain * math.Sqrt(6/(in+out))
		Uniform(-bound, bound)(r, w, shape)
	}
}

// XavierNormal draws from the normal distribution with deviation gain·√(2 / (in + out)). Source: as [XavierUniform].
func XavierNormal(gain float64) Init {
	return func(r *rand.Rand, w []float64, shape []int) {
		in, out := fans(shape)
		Normal(0, gain*math.Sqrt(2/(in+out)))(r, w, shape)
	}
}

// KaimingUniform draws from ±gain·√(3 / in), where in is how many numbers an output sums up. The gain for ReLU is √2.
// Source: He, Zhang, Ren and Sun, Delving Deep into Rectifiers (2015).
func KaimingUniform(gain float64) Init {
	return func(r *rand.Rand, w []float64, shape []int) {
		in, _ := fans(shape)
		bound := gain * math.Sqrt(3/in)
		Uniform(-bound, bound)(r, w, shape)
	}
}

// KaimingNormal draws from the normal distribution with deviation gain / √in. Source: as [KaimingUniform].
func KaimingNormal(gain float64) Init {
	return func(r *rand.Rand, w []float64, shape []int) {
		in, _ := fans(shape)
		Normal(0, gain/math.Sqrt(in))(r, w, shape)
	}
}

// Orthogonal makes a matrix of orthogonal rows or columns, whichever are fewer, each of length gain, of a parameter
// whose axes behind the first are taken together. Source: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear
// dynamics of learning in deep linear neural networks (2014).
func Orthogonal(gain float64) Init {
	return func(r *rand.Rand, w []float64, shape []int) {
		if len(w) == 0 {
			return
		}
		rows := 1
		if len(shape) > 0 {
			rows = shape[0]
		}
		cols := len(w) / rows
		long, short := max(rows, cols), min(rows, cols)
		Normal(0, 1)(r, w, shape)
		var f mat.QR
		f.Factorize(mat.NewDense(long, short, append([]float64(nil), w...)))
		var q, t mat.Dense
		f.QTo(&q)
		f.RTo(&t)
		for i := range rows {
			for j := range cols {
				// The signs of R make the distribution uniform.
				a, b := i, j
				if rows < cols {
					a, b = j, i
				}
				w[i*cols+j] = gain * math.Copysign(q.At(a, b), q.At(a, b)*math.Copysign(1, t.At(b, b)))
			}
		}
	}
}

// fanUniform is PyTorch's default of linear layers and convolutions: ±1/√in, where in is of the weights, also for the bias.
func fanUniform(in float64) Init {
	bound := 0.0
	if in > 0 {
		bound = 1 / math.Sqrt(in)
	}
	return Uniform(-bound, bound)
}

// orInit is init, or otherwise if it is nil.
func orInit(init, otherwise Init) Init {
	if init == nil {
		return otherwise
	}
	return init
}

// Package vector computes with slices of float32 element by element, in assembly where the processor has AVX2: the Go compiler makes
// instructions for one number of them. Results are those of Go's operators, bit by bit.
package vector

const width = 8 // numbers of a vector

// whole is how much of n numbers the assembly computes.
func whole(n int) int {
	if !has {
		return 0
	}
	return n &^ (width - 1)
}

// Add computes dst = a + b. The slices may be the same; they may not overlap otherwise. This holds for all functions.
func Add(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		add(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] + b[i]
	}
}

// Sub computes dst = a - b.
func Sub(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		sub(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] - b[i]
	}
}

// Mul computes dst = a · b.
func Mul(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		mul(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] * b[i]
	}
}

// Div computes dst = a / b.
func Div(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		div(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] / b[i]
	}
}

// Positive computes dst = a, with 0 for elements below 0: NaN and -0 stay.
func Positive(dst, a []float32) {
	a = a[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		positive(&dst[0], &a[0], n)
	}
	for i := n; i < len(dst); i++ {
		if dst[i] = a[i]; a[i] < 0 {
			dst[i] = 0
		}
	}
}

// AddProducts computes dst += a · b, where a and b may be longer. Products are rounded before they are added.
func AddProducts(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		addProducts(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] += float32(a[i] * b[i])
	}
}

// AddTimes computes dst += x · w, where x may be longer. Products are rounded before they are added.
func AddTimes(dst, x []float32, w float32) {
	x = x[:len(dst)]
	n := whole(len(dst))
	if n > 0 {
		addTimes(&dst[0], &x[0], w, n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] += float32(x[i] * w)
	}
}

// AddTimesOfTwo computes dst[i] += x[2i] · w, where x may be longer. Products are rounded before they are added.
func AddTimesOfTwo(dst, x []float32, w float32) {
	n := whole(min(len(dst), len(x)/2)) // the assembly reads pairs
	if n > 0 {
		addTimesOfTwo(&dst[0], &x[0], w, n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] += float32(x[2*i] * w)
	}
}

// SignExtend32 computes dst = int64(int32(dst)).
func SignExtend32(dst []int64) {
	n := whole(len(dst))
	if n > 0 {
		signExtend32(&dst[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = int64(int32(dst[i]))
	}
}

package dense

import "math"

// LDL overwrites the symmetric a, of which it reads the lower triangle, by the unit lower triangle L and the blocks of one or two rows of
// D, whose product L D Lᵀ is a with rows and columns exchanged. It returns for each step the row, from 1, with which that of the step was
// exchanged, negative and twice for a block of two, and 0 or the number of the first step whose block is zero, from 1.
// Source: Bunch and Kaufman, Some Stable Methods for Calculating Inertia and Solving Symmetric Linear Systems (1977), in the form
// of LAPACK's DSYTF2.
func LDL(a Matrix) (pivots []int, info int) {
	n := a.Rows
	pivots = make([]int, n)
	at := func(i, j int) *float64 { return &a.Data[i*a.Stride+j] }
	for k := 0; k < n; {
		p, step, singular := pivotOf(a, k)
		if singular && info == 0 {
			info = k + 1
		}
		exchange(a, k, p, step)
		switch {
		case singular:
		case step == 1:
			d := *at(k, k)
			for j := k + 1; j < n; j++ {
				f := *at(j, k) / d
				for i := j; i < n; i++ {
					*at(i, j) -= *at(i, k) * f
				}
			}
			for i := k + 1; i < n; i++ {
				*at(i, k) /= d
			}
		default:
			e := *at(k+1, k)
			d1, d2 := *at(k+1, k+1)/e, *at(k, k)/e
			f := 1 / (d1*d2 - 1) / e
			for j := k + 2; j < n; j++ {
				u, v := f*(d1**at(j, k)-*at(j, k+1)), f*(d2**at(j, k+1)-*at(j, k))
				for i := j; i < n; i++ {
					*at(i, j) -= *at(i, k)*u + *at(i, k+1)*v
				}
				*at(j, k), *at(j, k+1) = u, v
			}
		}
		if pivots[k] = p + 1; step == 2 {
			pivots[k], pivots[k+1] = -p-1, -p-1
		}
		k += step
	}
	keep(a, false)
	return pivots, info
}

// pivotOf chooses the row to exchange with that of step k, and how many rows the block has.
func pivotOf(a Matrix, k int) (p, step int, singular bool) {
	alpha := (1 + math.Sqrt(17)) / 8
	at := func(i, j int) float64 { return math.Abs(a.Data[i*a.Stride+j]) }
	r, column := k, 0.0
	for i := k + 1; i < a.Rows; i++ {
		if v := at(i, k); v > column {
			r, column = i, v
		}
	}
	switch diagonal := at(k, k); {
	case !(max(diagonal, column) > 0):
		return k, 1, true
	case diagonal >= alpha*column:
		return k, 1, false
	default:
		other := 0.0
		for j := k; j < r; j++ {
			other = max(other, at(r, j))
		}
		for i := r + 1; i < a.Rows; i++ {
			other = max(other, at(i, r))
		}
		switch {
		case diagonal >= alpha*column*(column/other):
			return k, 1, false
		case at(r, r) >= alpha*other:
			return r, 1, false
		}
		return r, 2, false
	}
}

// exchange swaps the last row and column of the block at k with those of p, in the lower triangle.
func exchange(a Matrix, k, p, step int) {
	at := func(i, j int) *float64 { return &a.Data[i*a.Stride+j] }
	swap := func(x, y *float64) { *x, *y = *y, *x }
	last := k + step - 1
	if p == last {
		return
	}
	for i := p + 1; i < a.Rows; i++ {
		swap(at(i, last), at(i, p))
	}
	for i := last + 1; i < p; i++ {
		swap(at(i, last), at(p, i))
	}
	swap(at(last, last), at(p, p))
	if step == 2 {
		swap(at(k+1, k), at(p, k))
	}
}

// SolveLDL overwrites b by the solution of a x = b, where a holds the factors that [LDL] stored there.
func SolveLDL(a Matrix, pivots []int, b Matrix) {
	n := a.Rows
	minus := func(to, from int, f float64) {
		x, y := row(b, to), row(b, from)
		for j := range x {
			x[j] -= f * y[j]
		}
	}
	swap := func(i, j int) {
		if x, y := row(b, i), row(b, min(max(j, 0), n-1)); i != j {
			for c := range x {
				x[c], y[c] = y[c], x[c]
			}
		}
	}
	at := func(i, j int) float64 { return a.Data[i*a.Stride+j] }
	for k := 0; k < n; {
		if pivots[k] > 0 || k == n-1 {
			swap(k, pivots[k]-1)
			for i := k + 1; i < n; i++ {
				minus(i, k, at(i, k))
			}
			for j, v := range row(b, k) {
				row(b, k)[j] = v / at(k, k)
			}
			k++
			continue
		}
		swap(k+1, -pivots[k]-1)
		for i := k + 2; i < n; i++ {
			minus(i, k, at(i, k))
			minus(i, k+1, at(i, k+1))
		}
		e := at(k+1, k)
		d1, d2 := at(k, k)/e, at(k+1, k+1)/e
		x, y := row(b, k), row(b, k+1)
		for j := range x {
			u, v := x[j]/e, y[j]/e
			x[j], y[j] = (d2*u-v)/(d1*d2-1), (d1*v-u)/(d1*d2-1)
		}
		k += 2
	}
	for k := n - 1; k >= 0; {
		for i := k + 1; i < n; i++ {
			minus(k, i, at(i, k))
		}
		if pivots[k] > 0 || k == 0 {
			swap(k, pivots[k]-1)
			k--
			continue
		}
		for i := k + 1; i < n; i++ {
			minus(k-1, i, at(i, k-1))
		}
		swap(k, -pivots[k]-1)
		k -= 2
	}
}

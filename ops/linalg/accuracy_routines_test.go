package linalg_test

import (
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
)

// routine is a decomposition or solver, with the measures that LAPACK's test programs take of it.
type routine struct {
	name      string
	measures  []string
	symmetric bool
	shapes    [][2]int
	// build adds it to a graph, for matrices a and right-hand sides b.
	build func(a, b *ops.Node) []*ops.Node
	// device are those that a device always has, beside all that it has for the table.
	device [][2]int
	// host says that it runs on the CPU path only.
	host bool
	// regular says that a zero column leaves no result.
	regular bool
	// info is the number, from 1, of the result that tells the step that failed; 0 if there is none.
	info int
	// measure are the measures, of results of the matrix a.
	measure func(a, b dense.Matrix, out []dense.Matrix, eps float64) []float64
}

var (
	squares = [][2]int{{0, 0}, {1, 1}, {17, 17}, {66, 66}}
	oblongs = [][2]int{{0, 3}, {3, 0}, {1, 1}, {7, 5}, {5, 7}, {66, 66}, {70, 20}, {20, 70}}
	// long has more rows than gonum applies reflectors to one by one.
	long = [][2]int{{150, 140}}
	// more are measured for the table of the documentation.
	more = [][2]int{{2, 2}, {10, 10}, {33, 33}}
)

// solved is the measure of DGET02: ‖B - A X‖ / (‖A‖ ‖X‖ ε).
func solved(a, x, b dense.Matrix, eps float64) float64 {
	return over(norm(less(b, a, x)), a.Rows, eps, norm(a), norm(x))
}

// inverted is the measure of DGET03: ‖I - A A⁻¹‖ / (n ‖A‖ ‖A⁻¹‖ ε).
func inverted(a, x dense.Matrix, eps float64) float64 {
	return over(norm(less(unit(a.Rows, a.Rows), a, x)), a.Rows, eps, norm(a), norm(x))
}

// factored is ‖A - B C‖ / (n ‖A‖ ε), as DGET01, DPOT01 and DSYT21 have it.
func factored(a, b, c dense.Matrix, eps float64) float64 {
	return over(norm(less(a, b, c)), max(a.Rows, a.Cols), eps, norm(a))
}

// ascending is 0 where s is sorted, and infinite where not.
func ascending(s []float64) float64 {
	if slices.IsSorted(s) {
		return 0
	}
	return math.Inf(1)
}

var routines = []routine{
	{
		name: "LUFactor", measures: []string{"‖P A - L U‖ / (n ‖A‖ ε)"}, shapes: oblongs, info: 3,
		build: func(a, _ *ops.Node) []*ops.Node { lu, p, info := linalg.LUFactor(a); return []*ops.Node{lu, p, info} },
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			k, c := min(a.Rows, a.Cols), dense.Copy(a)
			for i, p := range out[1].Data {
				for j := range a.Cols {
					x, y := i*c.Stride+j, (int(p)-1)*c.Stride+j
					c.Data[x], c.Data[y] = c.Data[y], c.Data[x]
				}
			}
			return []float64{factored(c, triangle(out[0], a.Rows, k, false, true), triangle(out[0], k, a.Cols, true, false), eps)}
		},
	},
	{
		name: "Solve", device: [][2]int{{66, 66}}, measures: []string{"‖B - A X‖ / (‖A‖ ‖X‖ ε)", "‖Bᵀ - Y A‖ / (‖A‖ ‖Y‖ ε)"}, shapes: squares, regular: true, info: 2,
		build: func(a, b *ops.Node) []*ops.Node {
			x, info := linalg.SolveEx(a, b, nil)
			y := linalg.Solve(a, ops.Transpose(b, 0, 2, 1), &linalg.SolveOptions{Right: true})
			return []*ops.Node{x, info, y}
		},
		measure: func(a, b dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			return []float64{solved(a, out[0], b, eps), solved(dense.Transposed(a), dense.Transposed(out[2]), b, eps)}
		},
	},
	{
		name: "Inverse", measures: []string{"‖I - A A⁻¹‖ / (n ‖A‖ ‖A⁻¹‖ ε)", "‖I - A⁻¹ A‖ / (n ‖A‖ ‖A⁻¹‖ ε)"}, shapes: squares, regular: true, info: 2,
		build: func(a, _ *ops.Node) []*ops.Node { x, info := linalg.InverseEx(a); return []*ops.Node{x, info} },
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			return []float64{inverted(a, out[0], eps), inverted(out[0], a, eps)}
		},
	},
	{
		name: "Cholesky", device: [][2]int{{66, 66}}, measures: []string{"‖A - L Lᵀ‖ / (n ‖A‖ ε)", "‖B - A X‖ / (‖A‖ ‖X‖ ε)"}, shapes: squares, symmetric: true, regular: true, info: 2,
		build: func(a, b *ops.Node) []*ops.Node {
			l, info := linalg.CholeskyEx(a, false)
			return []*ops.Node{l, info, linalg.CholeskySolve(b, l, false)}
		},
		measure: func(a, b dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			return []float64{factored(a, out[0], dense.Transposed(out[0]), eps), solved(a, out[2], b, eps)}
		},
	},
	{
		name: "LDLFactor", host: true, measures: []string{"‖B - A X‖ / (‖A‖ ‖X‖ ε)"}, shapes: squares, symmetric: true, regular: true, info: 3,
		build: func(a, b *ops.Node) []*ops.Node {
			ld, p, info := linalg.LDLFactor(a)
			return []*ops.Node{ld, p, info, linalg.LDLSolve(ld, p, b)}
		},
		measure: func(a, b dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			return []float64{solved(a, out[3], b, eps)}
		},
	},
	{
		name: "QR", device: [][2]int{{70, 20}}, measures: []string{"‖A - Q R‖ / (m ‖A‖ ε)", "‖I - QᵀQ‖ / (m ε)", "the same, complete", "the same, complete"}, shapes: slices.Concat(oblongs, long),
		build: func(a, _ *ops.Node) []*ops.Node {
			q, r := linalg.QR(a, linalg.QRReduced)
			full, s := linalg.QR(a, linalg.QRComplete)
			return []*ops.Node{q, r, full, s}
		},
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			return []float64{factored(a, out[0], out[1], eps), departure(out[0], eps), factored(a, out[2], out[3], eps), departure(out[2], eps)}
		},
	},
	{
		name: "Eigh", device: [][2]int{{17, 17}}, measures: []string{"‖A - V W Vᵀ‖ / (n ‖A‖ ε)", "‖I - VᵀV‖ / (n ε)", "abs(w - w alone) / (n ‖A‖ ε)"}, shapes: slices.Concat(squares, [][2]int{{150, 150}}), symmetric: true,
		build: func(a, _ *ops.Node) []*ops.Node {
			w, v := linalg.Eigh(a, false)
			return []*ops.Node{w, v, linalg.Eigvalsh(a, false)}
		},
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			w, v := out[0].Data, out[1]
			return []float64{factored(a, columnsTimes(v, w), dense.Transposed(v), eps), departure(v, eps) + ascending(w), apart(w, out[2].Data, norm(a), eps)}
		},
	},
	{
		name: "SVD", device: [][2]int{{20, 70}}, measures: []string{"‖A - U S Vᵀ‖ / (max(m, n) ‖A‖ ε)", "‖I - UᵀU‖ / (m ε)", "‖I - VᵀV‖ / (n ε)", "abs(s - s alone) / (n ‖A‖ ε)"}, shapes: slices.Concat(oblongs, long),
		build: func(a, _ *ops.Node) []*ops.Node {
			u, s, vt := linalg.SVD(a, true)
			return []*ops.Node{u, s, vt, linalg.SVDVals(a)}
		},
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			u, s, v := out[0], slices.Clone(out[1].Data), dense.Transposed(out[2])
			us := dense.New(a.Rows, a.Cols)
			dense.Put(us, columnsTimes(u, s))
			slices.Reverse(s)
			return []float64{factored(a, us, out[2], eps), departure(u, eps) + ascending(s), departure(v, eps) + ascending(append([]float64{0}, s...)), apart(out[1].Data, out[3].Data, norm(a), eps)}
		},
	},
	{
		name: "Lstsq", host: true, measures: []string{"‖Aᵀ (B - A X)‖ / (max(m, n) ‖A‖ (‖A‖ ‖X‖ + ‖B‖) ε)"}, shapes: [][2]int{{0, 3}, {3, 0}, {1, 1}, {4, 1}, {7, 5}, {5, 7}, {66, 66}, {70, 20}, {20, 70}, {150, 140}},
		build: func(a, b *ops.Node) []*ops.Node { x, _, rank := linalg.Lstsq(a, b, nil); return []*ops.Node{x, rank} },
		measure: func(a, b dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			if norm(a) == 0 {
				return []float64{norm(out[0])}
			}
			// Scaled, or the product of A and the residual were lost.
			p, q := norm(a), norm(b)
			a, b, x := times(a, 1/p), times(b, 1/q), times(times(out[0], 1/q), p)
			r := less(b, a, x)
			return []float64{over(norm(less(dense.New(a.Cols, r.Cols), dense.Transposed(a), r)), max(a.Rows, a.Cols), eps, norm(x)+1)}
		},
	},
	{
		name: "Pinv", host: true, measures: []string{"‖A P A - A‖ / (max(m, n) ‖A‖ ‖A‖ ‖P‖ ε)", "‖P A P - P‖ / (max(m, n) ‖A‖ ‖P‖ ‖P‖ ε)"}, shapes: [][2]int{{0, 3}, {1, 1}, {7, 5}, {5, 7}, {66, 66}},
		build: func(a, _ *ops.Node) []*ops.Node { return []*ops.Node{linalg.Pinv(a, nil)} },
		measure: func(a, _ dense.Matrix, out []dense.Matrix, eps float64) []float64 {
			p := out[0]
			ap := times(less(dense.New(a.Rows, p.Cols), a, p), -1)
			n := max(a.Rows, a.Cols)
			return []float64{over(norm(less(a, ap, a)), n, eps, norm(a), norm(a), norm(p)), over(norm(less(p, p, ap)), n, eps, norm(p), norm(a), norm(p))}
		},
	},
}

// apart is the largest difference of elements of a and b, over n scale ε.
func apart(a, b []float64, scale, eps float64) (most float64) {
	for i, v := range a {
		most = max(most, over(math.Abs(v-b[i]), len(a), eps, scale))
	}
	return most
}

package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// Peers of scientific works.
const (
	SciPy    = "scipy" // one thread, as its users have it
	FFTW     = "fftw"
	CLFFT    = "clfft"
	VkFFT    = "vkfft"
	LAPACK   = "lapack" // of OpenBLAS
	Gonum    = "gonum"
	ViennaCL = "viennacl"
)

// Functions of Attr.Function, by which peers know works.
const (
	FunctionFFT      = "fft" // of pairs along Axes, in a last axis
	FunctionRFFT     = "rfft"
	FunctionCholesky = "cholesky" // the lower factor
	FunctionLU       = "lu"       // L - I + U of a matrix of which no rows are exchanged
	FunctionQR       = "qr"       // the absolute values of R
	FunctionSVD      = "svdvals"
	FunctionSparse   = "laplacian"
)

// scienceWorks are works of Fourier transforms, decompositions, sparse matrices, stencils and random numbers.
func scienceWorks() []*Work {
	var all []*Work
	for _, dims := range [][]int{{4096, 64}, {1024, 256}, {256, 1024}, {64, 4096}, {16, 1 << 16}, {1, 1 << 16}, {1, 1 << 20}, {1024, 1000},
		{512, 1009}, {256, 2187}, {64, 10007}} {
		all = append(all, fourier(FunctionFFT, tensor.Float32, dims, 1))
	}
	for _, dims := range [][]int{{64, 4096}, {1, 1 << 20}, {64, 10007}} {
		all = append(all, fourier(FunctionFFT, tensor.Float64, dims, 1))
	}
	all = append(all, fourier(FunctionFFT, tensor.Float32, []int{1024, 1024}, 2), fourier(FunctionFFT, tensor.Float32, []int{500, 500}, 2))
	for _, dims := range [][]int{{256, 4096}, {4000, 512}, {1, 1 << 20}} {
		all = append(all, fourier(FunctionRFFT, tensor.Float32, dims, 1))
	}
	for _, n := range []int{512, 1024, 2048} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			all = append(all, decomposition(FunctionCholesky, dt, n, n), decomposition(FunctionLU, dt, n, n), decomposition(FunctionQR, dt, n, n))
		}
	}
	for _, dims := range [][]int{{1000, 32, 32}, {100, 64, 64}} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			all = append(all, decomposition(FunctionCholesky, dt, dims...), decomposition(FunctionLU, dt, dims...), singularValues(dt, dims...))
		}
	}
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		all = append(all, sparseProduct(dt, 1000), stencil(dt, "zero", 2048, 2048))
		for _, border := range []string{"edge", "reflect", "symmetric", "wrap"} {
			all = append(all, stencil(dt, border, 2048, 2048))
		}
		for _, border := range []string{"zero", "wrap"} {
			all = append(all, stencil(dt, border, 1<<22), stencil(dt, border, 160, 160, 160))
		}
	}
	all = append(all,
		conjugateGradients(tensor.Float32, "laplacian", 1000, 2, nonzerosOfLaplacian, laplacian[float32]),
		conjugateGradients(tensor.Float32, "cube", 80, 3, nonzerosOfCube, cube[float32]),
		conjugateGradients(tensor.Float64, "cube", 80, 3, nonzerosOfCube, cube[float64]))
	return append(all, normals(tensor.Float32, 1<<22), normals(tensor.Float64, 1<<21))
}

func short(dt tensor.DType) string {
	return map[tensor.DType]string{tensor.Float32: "f32", tensor.Float64: "f64"}[dt]
}

// fourier transforms along the last axes, of pairs or of real numbers.
func fourier(function string, dt tensor.DType, dims []int, rank int) *Work {
	n, axes := 1.0, []int{}
	for i := len(dims) - rank; i < len(dims); i++ {
		n *= float64(dims[i])
		axes = append(axes, i)
	}
	count := elements(dims)
	w := &Work{Rate: GFLOPS, Flops: 5 * count * math.Log2(n), Tolerance: 1e-5, Bytes: 2 * count * float64(2*dt.Size())}
	p, leaf := &Program{}, append([]int{}, dims...)
	o := &fft.Options{Axes: axes}
	a := Attr{Function: function, Axes: axes}
	ours := func(x []*ops.Node) *ops.Node { return fft.FFT(x[0], o) }
	switch {
	case function == FunctionRFFT:
		w.Flops /= 2
		ours = func(x []*ops.Node) *ops.Node { return fft.RFFT(x[0], o) }
		a.SciPy, a.Torch = "pairs(scipy.fft.rfft({0}))", "torch.view_as_real(torch.fft.rfft({0}))"
	default:
		leaf = append(leaf, 2)
		a.SciPy = fmt.Sprintf("pairs(scipy.fft.fftn(numbers({0}), axes=%s))", tuple(axes))
		a.Torch = fmt.Sprintf("torch.view_as_real(torch.fft.fftn(torch.view_as_complex({0}), dim=%s))", tuple(axes))
	}
	x := p.Leaf(Operand, dt, Fill{}, leaf...)
	w.Program = p.Return(p.add(Node{Op: "call", In: []Ref{x}, Attr: a, Ours: ours}))
	w.Name = fmt.Sprintf("%s-%s/%s", function, short(dt), name(dims))
	if rank > 1 {
		w.Name = fmt.Sprintf("%s%d-%s/%s", function, rank, short(dt), name(dims))
	}
	fftw := 0.5
	if power := int(n); power&(power-1) == 0 && dt == tensor.Float32 {
		fftw = 0.8
	}
	w.Goals = []Goal{atLeast(fftw, FFTW), atLeast(1, SciPy), atLeast(3, CLFFT), atLeast(3, VkFFT)}
	return w
}

// tuple is how Python writes axes.
func tuple(axes []int) string {
	s := "("
	for _, a := range axes {
		s += fmt.Sprint(a, ",")
	}
	return s + ")"
}

// laplacian is the matrix of five points for m x m unknowns.
func laplacian[T sparse.Number](m int) *sparse.CSR[T] {
	a := withRoom[T](m*m, nonzerosOfLaplacian(m))
	for i := range m {
		for j := range m {
			for _, o := range [][3]int{{-1, 0, -1}, {0, -1, -1}, {0, 0, 4}, {0, 1, -1}, {1, 0, -1}} {
				if y, x := i+o[0], j+o[1]; y >= 0 && y < m && x >= 0 && x < m {
					a.Col, a.Value = append(a.Col, int32(y*m+x)), append(a.Value, T(o[2]))
				}
			}
			a.Ptr = append(a.Ptr, int32(len(a.Col)))
		}
	}
	return a
}

func nonzerosOfLaplacian(m int) int { return 5*m*m - 4*m }

// cube is the matrix of 27 points for m x m x m unknowns.
func cube[T sparse.Number](m int) *sparse.CSR[T] {
	a := withRoom[T](m*m*m, nonzerosOfCube(m))
	for row := range m * m * m {
		for n := range 27 {
			x, y, z := row/m/m+n/9-1, row/m%m+n/3%3-1, row%m+n%3-1
			if min(x, y, z) < 0 || max(x, y, z) >= m {
				continue
			}
			v := T(-1)
			if n == 13 {
				v = 26
			}
			a.Col, a.Value = append(a.Col, int32((x*m+y)*m+z)), append(a.Value, v)
		}
		a.Ptr = append(a.Ptr, int32(len(a.Col)))
	}
	return a
}

func nonzerosOfCube(m int) int { return (3*m - 2) * (3*m - 2) * (3*m - 2) }

// withRoom is a square matrix without elements yet, which has room for nonzeros.
func withRoom[T sparse.Number](rows, nonzeros int) *sparse.CSR[T] {
	return &sparse.CSR[T]{
		Rows: rows, Cols: rows, Ptr: make([]int32, 1, rows+1), Col: make([]int32, 0, nonzeros), Value: make([]T, 0, nonzeros),
	}
}

// sparseProduct is the product of a Laplacian with a vector; bytes are those of compressed rows.
func sparseProduct(dt tensor.DType, m int) *Work {
	p := &Program{}
	x := p.Leaf(Operand, dt, Fill{}, m*m)
	count, size := nonzerosOfLaplacian(m), dt.Size()
	ours := func(x []*ops.Node) *ops.Node {
		if dt == tensor.Float64 {
			return sparse.Mul(sparse.Const(x[0].Graph(), laplacian[float64](m)), x[0])
		}
		return sparse.Mul(sparse.Const(x[0].Graph(), laplacian[float32](m)), x[0])
	}
	return &Work{
		Name: fmt.Sprintf("spmv-%s/laplacian-%d", short(dt), m), Rate: GBps, Flops: 2 * float64(count),
		Bytes: float64(count*(size+4) + 4*(m*m+1) + 2*size*m*m),
		Program: p.Return(p.add(Node{Op: "call", In: []Ref{x}, Ours: ours, Attr: Attr{
			Function: FunctionSparse, Size: m, SciPy: fmt.Sprintf("laplacian(%d, {0}.dtype) @ {0}", m),
		}})),
		Goals: []Goal{atLeast(0.8, LimitCopy), atLeast(1.5, SciPy), atLeast(1, ViennaCL)},
	}
}

// conjugateGradients is 40 iterations of the method on a grid of m points along each of rank axes, beside as many products with its
// matrix: all that cannot be saved. The matrix is made with the graph: a list of works holds none.
func conjugateGradients[T sparse.Number](
	dt tensor.DType, name string, m, rank int, nonzeros func(m int) int, points func(m int) *sparse.CSR[T],
) *Work {
	const count = 40
	matrix := func(g *ops.Graph) *sparse.Matrix {
		a := points(m)
		for i := range a.Value {
			a.Value[i] /= 64 // so that the products do not overflow
		}
		return sparse.Const(g, a)
	}
	p := &Program{}
	rows, nonzero := int(math.Pow(float64(m), float64(rank))), nonzeros(m)
	b := p.Leaf(Operand, dt, Fill{}, rows)
	return &Work{
		Name: fmt.Sprintf("cg-%s/%s-%d", short(dt), name, m), Rate: GBps,
		Flops: 2 * count * float64(nonzero), Tolerance: 1e6, // they are other numbers
		Bytes: count * float64(nonzero*(dt.Size()+4)+4*(rows+1)+2*dt.Size()*rows),
		Program: p.Return(p.add(Node{Op: "call", In: []Ref{b}, Ours: func(b []*ops.Node) *ops.Node {
			return sparse.CG(matrix(b[0].Graph()).Apply, b[0], &sparse.Options{Tolerance: 1e-30, Limit: count}).X
		}})),
		Composed: func(b []*ops.Node) *ops.Node {
			m := matrix(b[0].Graph())
			last, _ := ops.Scan(b, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
				return []*ops.Node{sparse.Mul(m, sparse.Mul(m, s[0]))}, nil
			}, &ops.ScanOptions{Trips: count / 2})
			return last[0]
		},
		Goals: []Goal{atLeast(1/1.1, NameComposed)},
	}
}

// borderModes are the borders of stencils as scipy.ndimage names them.
var borderModes = map[string]string{"zero": "constant", "edge": "nearest", "reflect": "mirror", "symmetric": "reflect", "wrap": "wrap"}

// stencil is a step of diffusion along all axes of dims, with what the border says beyond them.
func stencil(dt tensor.DType, border string, dims ...int) *Work {
	p := &Program{}
	x := p.Leaf(Operand, dt, Fill{}, dims...)
	weights, rank, count := weightsOfDiffusion(len(dims)), len(dims), elements(dims)
	o := ops.StencilOptions{Weights: weights, Border: border}
	list := strings.Join(strings.Fields(fmt.Sprint(weights)), ", ")
	for i := range rank {
		o.Axes, o.Size = append(o.Axes, i), append(o.Size, 3)
	}
	kind := ""
	if border != "zero" {
		kind = "-" + border
	}
	return &Work{
		Name: fmt.Sprintf("stencil%s-%s/%s", kind, short(dt), name(dims)), Rate: GBps, Bytes: 2 * count * float64(dt.Size()),
		Program: p.Return(p.add(Node{Op: "call", In: []Ref{x}, Ours: func(x []*ops.Node) *ops.Node { return ops.Stencil(x[0], o) }, Attr: Attr{
			SciPy: fmt.Sprintf("scipy.ndimage.correlate({0}, np.array(%s, {0}.dtype).reshape([3] * %d), mode='%s')", list, rank,
				borderModes[border]),
		}})),
		Goals: []Goal{atLeast(0.8, LimitCopy)},
	}
}

// weightsOfDiffusion are those of the neighbours along each of rank axes, and of what is left in the middle.
func weightsOfDiffusion(rank int) []float64 {
	w := make([]float64, int(math.Pow(3, float64(rank))))
	middle := len(w) / 2
	w[middle] = 1 - 0.2*float64(rank)
	for step := 1; step < len(w); step *= 3 {
		w[middle-step], w[middle+step] = 0.1, 0.1
	}
	return w
}

// normals are n normal numbers, of which no two generators have the same.
func normals(dt tensor.DType, n int) *Work {
	p := &Program{}
	x := p.Leaf(Operand, dt, Fill{}, 1)
	return &Work{
		Name: fmt.Sprintf("normals-%s/%d", short(dt), n), Rate: GBps, Bytes: float64(n * dt.Size()), Tolerance: 100,
		Program: p.Return(p.add(Node{Op: "call", In: []Ref{x}, Attr: Attr{SciPy: fmt.Sprintf("random.standard_normal(%d, {0}.dtype)", n)},
			Ours: func(x []*ops.Node) *ops.Node { return x[0].Graph().Normal(dt, n) }})),
		Goals: []Goal{atLeast(2, SciPy)},
	}
}

package bench

import (
	"fmt"
	"math"

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
	for _, dims := range [][]int{{4096, 64}, {1024, 256}, {256, 1024}, {64, 4096}, {16, 1 << 16}, {1, 1 << 16}, {1, 1 << 20}, {1024, 1000}, {512, 1009}, {256, 2187}, {64, 10007}} {
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
		all = append(all, sparseProduct(dt, 1000), stencil(dt, 2048))
	}
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
	a := &sparse.CSR[T]{Rows: m * m, Cols: m * m, Ptr: make([]int32, 1, m*m+1)}
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

// sparseProduct is the product of a Laplacian with a vector; bytes are those of compressed rows.
func sparseProduct(dt tensor.DType, m int) *Work {
	p := &Program{}
	x := p.Leaf(Operand, dt, Fill{}, m*m)
	count, size := 5*m*m-4*m, dt.Size()
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

// stencil is a step of diffusion on n x n points, beyond which there is 0.
func stencil(dt tensor.DType, n int) *Work {
	p := &Program{}
	x := p.Leaf(Operand, dt, Fill{}, n, n)
	ours := func(x []*ops.Node) *ops.Node {
		return ops.Stencil(x[0], ops.StencilOptions{Axes: []int{0, 1}, Size: []int{3, 3}, Weights: []float64{0, 0.1, 0, 0.1, 0.6, 0.1, 0, 0.1, 0}, Border: "zero"})
	}
	return &Work{
		Name: fmt.Sprintf("stencil-%s/%dx%d", short(dt), n, n), Rate: GBps, Bytes: 2 * elements([]int{n, n}) * float64(dt.Size()),
		Program: p.Return(p.add(Node{Op: "call", In: []Ref{x}, Ours: ours, Attr: Attr{
			SciPy: "scipy.ndimage.convolve({0}, np.array([[0, .1, 0], [.1, .6, .1], [0, .1, 0]], {0}.dtype), mode='constant')",
		}})),
		Goals: []Goal{atLeast(0.8, LimitCopy)},
	}
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

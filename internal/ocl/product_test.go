package ocl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/tensor"
)

// productCase is a product with room around its matrices.
type productCase struct {
	dtype       tensor.DType
	m, n, k     int
	aT, bT      bool
	alpha, beta float64
	extra       int // leading dimensions are larger by so much
	one         bool
	half        Half
}

// checkProduct runs the product on float32 or float64 and compares it with sums in float64.
func checkProduct[T float32 | float64](t *testing.T, x *Products, c productCase) {
	rng := rand.New(rand.NewPCG(1, uint64(c.m*c.n+c.k)))
	matrix := func(rows, columns int) (s []T, ld int) {
		ld = columns + c.extra
		s = make([]T, (rows-1)*ld+columns)
		for i := range s {
			s[i] = T(rng.Float64()*2 - 1)
		}
		return s, ld
	}
	ar, ac, br, bc := c.m, c.k, c.k, c.n
	if c.aT {
		ar, ac = ac, ar
	}
	if c.bT {
		br, bc = bc, br
	}
	a, lda := matrix(ar, ac)
	b, ldb := matrix(br, bc)
	cc, ldc := matrix(c.m, c.n)
	if c.one { // three parts of one matrix
		all := append(append(append([]T{}, a...), b...), cc...)
		a, b, cc = all[:len(a)], all[len(a):][:len(b)], all[len(a)+len(b):]
	}
	if c.beta == 0 {
		for i := range c.m {
			for j := range c.n {
				cc[i*ldc+j] = T(math.NaN())
			}
		}
	}
	want := append([]T{}, cc...)
	for i := range c.m {
		for j := range c.n {
			if c.half == HalfLower && j > i || c.half == HalfUpper && j < i {
				continue
			}
			sum := 0.0
			for k := range c.k {
				x, y := a[min(i*lda+k, len(a)-1)], b[min(k*ldb+j, len(b)-1)]
				if c.aT {
					x = a[k*lda+i]
				}
				if c.bT {
					y = b[j*ldb+k]
				}
				sum += float64(x) * float64(y)
			}
			v := c.alpha * sum
			if c.beta != 0 {
				v += c.beta * float64(cc[i*ldc+j])
			}
			want[i*ldc+j] = T(v)
		}
	}
	before := append(append([]T{}, a...), b...)
	require.NoError(t, x.Run(&Product{
		DType: c.dtype, M: c.m, N: c.n, K: c.k, Alpha: c.alpha, Beta: c.beta,
		A: Operand{cl.Bytes(a), lda, c.aT}, B: Operand{cl.Bytes(b), ldb, c.bT}, C: Operand{Data: cl.Bytes(cc), LD: ldc}, Half: c.half,
	}, true))
	tol := 1e-5
	if c.dtype == tensor.Float64 {
		tol = 1e-13
	}
	for i := range want {
		if math.IsNaN(float64(want[i])) && math.IsNaN(float64(cc[i])) {
			continue // elements that are not part of the result
		}
		require.InDelta(t, float64(want[i]), float64(cc[i]), tol*math.Sqrt(float64(c.k+1)), "element %d, %d of row %d", i, i%ldc, i/ldc)
	}
	require.Equal(t, before, append(append([]T{}, a...), b...), "operands stay as they were")
}

func productCases() (all []productCase) {
	shapes := [][3]int{{1, 1, 1}, {3, 5, 7}, {8, 32, 16}, {33, 65, 40}, {1, 300, 129}, {257, 1, 131}, {70, 34, 600}, {130, 200, 1}}
	i := 0
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for _, n := range []int{1, 16, 45, 200} {
			for _, half := range []Half{HalfLower, HalfUpper} {
				all = append(all,
					productCase{dtype: dt, m: n, n: n, k: 33, bT: true, alpha: 1, half: half},
					productCase{dtype: dt, m: n, n: n, k: 70, aT: true, alpha: -1, beta: 0.5, extra: 3, half: half})
			}
		}
		for _, s := range shapes {
			for trans := range 4 {
				scale := [][2]float64{{1, 0}, {-1, 1}, {0.5, -2}, {2, 0}}[i%4]
				all = append(all, productCase{dt, s[0], s[1], s[2], trans&1 > 0, trans&2 > 0, scale[0], scale[1], i % 3 * 3, i%2 == 0, HalfNone})
				i++
			}
		}
	}
	return all
}

func TestProductsAgreeWithSumsInFloat64(t *testing.T) {
	ocltest.NumbersOnly(t)
	for name, change := range map[string]func(e *Engine, x *Products){
		"workers": func(e *Engine, _ *Products) { e.host = nil },
		"caller":  func(e *Engine, _ *Products) { e.force = "thread=caller" },
		"copies":  func(_ *Engine, x *Products) { x.Copy() },
		"tiles":   func(e *Engine, _ *Products) { e.host = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What no CPU driver runs for users need not be optimized: tiles, and copies of what lies in the host's memory. Of the others each
			// dtype is, once: in float32 what workers run, in float64 what the caller runs. Both go through the same loops.
			optimized := map[string]tensor.DType{"workers": tensor.Float32, "caller": tensor.Float64}
			products := map[tensor.DType]*Products{}
			for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
				e := device(t, "", func(f *facts.Device) {
					f.CPU = f.CPU && name != "tiles"
					f.Unoptimized = f.Unoptimized || optimized[name] != dt && testdevices.Unoptimized() != ""
				})
				e.host = newHostPath(e)
				x := NewProducts(e)
				change(e, x)
				t.Cleanup(func() { require.NoError(t, x.Close()) })
				products[dt] = x
			}
			for i, c := range productCases() {
				x := products[c.dtype]
				// Each layout of a dtype is a program where the caller runs it and where workers do, each tile one more.
				of := i + int(c.dtype)
				if name == "caller" {
					of++
				}
				if name == "tiles" && !ocltest.OneIn(i, 8) || name != "tiles" && !ocltest.OneIn(of, 2) || name == "copies" && !ocltest.OneIn(of/2, 3) {
					continue
				}
				if err := x.Check(c.dtype); err != nil {
					require.ErrorIs(t, err, engine.ErrUnsupported)
					continue
				}
				t.Run(c.String(), func(t *testing.T) {
					if c.dtype == tensor.Float32 {
						checkProduct[float32](t, x, c)
					} else {
						checkProduct[float64](t, x, c)
					}
				})
			}
		})
	}
}

// triangleCase is a triangle beside columns. T and B may lie transposed.
type triangleCase struct {
	order, columns             int
	solve, lower, unit, tT, bT bool
}

// triangleCaseOf has flags by the bits of i.
func triangleCaseOf(order, columns, i int) triangleCase {
	is := func(bit int) bool { return i>>bit&1 > 0 }
	return triangleCase{order, columns, is(0), is(1), is(2), is(3), is(4)}
}

const triangleAlpha = 0.5

// triangleOperands are T and B, with room behind their rows.
type triangleOperands[T float32 | float64] struct {
	triangleCase
	a, b     []T
	lda, ldb int
}

func newTriangleOperands[T float32 | float64](of triangleCase) *triangleOperands[T] {
	c := &triangleOperands[T]{triangleCase: of, lda: of.order + 3}
	rng := rand.New(rand.NewPCG(2, uint64(c.order*c.columns)))
	c.a = make([]T, (c.order-1)*c.lda+c.order)
	for i := range c.a {
		c.a[i] = T(math.NaN()) // the half that nobody may read
	}
	for i := range c.order {
		for j := range c.order {
			if i != j && c.lower == (j < i) {
				c.a[c.at(i, j)] = T((rng.Float64()*2 - 1) / float64(c.order))
			} else if i == j && !c.unit {
				c.a[c.at(i, j)] = T(rng.Float64() + 1)
			}
		}
	}
	c.ldb = c.width() + 2
	c.b = make([]T, (c.order+c.columns-c.width()-1)*c.ldb+c.width())
	for i := range c.b {
		c.b[i] = T(rng.Float64()*2 - 1)
	}
	return c
}

func checkTriangle[T float32 | float64](t *testing.T, x *Products, dt tensor.DType, of triangleCase) {
	c := newTriangleOperands[T](of)
	got := slices.Clone(c.b)
	require.NoError(t, x.RunTriangle(&Triangle{
		DType: dt, Solve: c.solve, Lower: c.lower, Unit: c.unit, Order: c.order, Columns: c.columns, Alpha: triangleAlpha,
		T: Operand{cl.Bytes(c.a), c.lda, c.tT}, B: Operand{cl.Bytes(got), c.ldb, c.bT},
	}, true))
	c.check(t, got)
}

func TestTrianglesAreSolvedAndMultiplied(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	e := device(t, "", nil)
	e.host = newHostPath(e)
	x := NewProducts(e)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	if x.TriangleOrder(tensor.Float32) == 0 {
		t.Skip("not a CPU driver")
	}
	shapes := [][2]int{{1, 1}, {5, 3}, {8, 32}, {13, 47}, {40, 70}, {133, 40}}
	for i := range 32 {
		for _, s := range shapes {
			t.Run(fmt.Sprint(i, s), func(t *testing.T) {
				c := triangleCaseOf(s[0], s[1], i)
				checkTriangle[float32](t, x, tensor.Float32, c)
				if x.Check(tensor.Float64) == nil {
					checkTriangle[float64](t, x, tensor.Float64, c)
				}
			})
		}
	}
	err := x.RunTriangle(&Triangle{DType: tensor.Float32, Order: 1 << 20, Columns: 1}, true)
	require.ErrorIs(t, err, engine.ErrUnsupported)
}

func TestProductsOfManyGoroutinesDoNotMix(t *testing.T) {
	t.Parallel()
	e := device(t, "", nil)
	e.host = newHostPath(e)
	x := NewProducts(e)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				n := 10 + 37*((g+i)%5)
				checkProduct[float32](t, x, productCase{dtype: tensor.Float32, m: n, n: n + g, k: n + i, bT: i%2 > 0, alpha: 1, extra: i % 2})
			}
		})
	}
	wg.Wait()
}

func TestProductsGrowBesideOthers(t *testing.T) { // see hostrun.PartHead
	t.Parallel()
	e := device(t, "", nil)
	e.host = newHostPath(e)
	x := NewProducts(e)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	run := func(m, n, k int) error {
		a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
		return x.Run(&Product{
			DType: tensor.Float32, M: m, N: n, K: k, Alpha: 1,
			A: Operand{Data: cl.Bytes(a), LD: k}, B: Operand{Data: cl.Bytes(b), LD: n}, C: Operand{Data: cl.Bytes(c), LD: n},
		}, true)
	}
	require.NoError(t, run(8, 8, 8))
	grown := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-grown:
					return
				default:
					assert.NoError(t, run(64, 1, 900))
				}
			}
		})
	}
	for n := 80; n < 8000; n += 16 {
		assert.NoError(t, run(n, 1, 2))
	}
	close(grown)
	wg.Wait()

	// A launch that the host path cannot run is left to the device's queue.
	k := contract.ProductShape{Key: contract.ProductKey{Kind: contract.ProductDot, DType: tensor.Float32, Inline: e.host != nil}, M: 1 << 20,
		N: 1, K: 1}
	require.False(t, e.planProduct(k).Key.Inline)
	k.M = 100
	require.Equal(t, e.host != nil, e.planProduct(k).Key.Inline)
}

func TestAProductThatWaitsForNobodySaysThatItsKernelIsCompiled(t *testing.T) {
	t.Parallel()
	e := device(t, "", nil)
	x := NewProducts(e)
	a := make([]float32, 64)
	p := &Product{DType: tensor.Float32, M: 8, N: 8, K: 8, Alpha: 1, A: Operand{Data: cl.Bytes(a), LD: 8},
		B: Operand{Data: cl.Bytes(a), LD: 8}, C: Operand{Data: cl.Bytes(make([]float32, 64)), LD: 8}}
	if err := x.Run(p, false); err != nil { // a fast compiler may be done
		require.ErrorIs(t, err, ErrCompiling)
	}
	require.NoError(t, x.Run(p, true))
	require.NoError(t, x.Run(p, false))
	p.A.LD = math.MaxInt32
	require.ErrorIs(t, x.Run(p, true), engine.ErrUnsupported)
	p.A.LD = 8
	require.NoError(t, x.Close())
	require.NoError(t, x.Close())
	err := x.Run(p, true)
	require.True(t, errors.Is(err, engine.ErrClosed), err)
}

// A driver that compiles a kernel when it is first launched begins no other launch meanwhile: who does not want to wait is told so.
func TestProductsDoNotWaitForTheFirstLaunchOfOthers(t *testing.T) {
	t.Parallel()
	x := NewProducts(device(t, "", nil))
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	one := cl.Bytes([]float32{1})
	p := &Product{
		DType: tensor.Float32, M: 1, N: 1, K: 1, Alpha: 1,
		A: Operand{Data: one, LD: 1}, B: Operand{Data: one, LD: 1}, C: Operand{Data: cl.Bytes([]float32{0}), LD: 1},
	}
	require.NoError(t, x.Run(p, true))
	x.launching.Store(true)
	require.ErrorIs(t, x.Run(p, false), ErrCompiling)
	require.NoError(t, x.Run(p, true))
	x.launching.Store(false)
	require.NoError(t, x.Run(p, false))
}

// The smallest product of a kernel, with which it is launched first, is 1 · 1 (or 1 / 1, where it solves), and nothing else is written.
func TestTheSmallestProductsAreRight(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	e := device(t, "", nil)
	x := NewProducts(e)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	if !e.compilesAtLaunch() {
		t.Skip("the device's kernels are compiled when they are built")
	}
	dtypes := []tensor.DType{tensor.Float32}
	if x.Check(tensor.Float64) == nil {
		dtypes = append(dtypes, tensor.Float64)
	}
	for _, dt := range dtypes {
		for kind := range contract.ProductMultiply + 1 {
			if kind == contract.ProductTile || x.TriangleOrder(dt) == 0 && kind >= contract.ProductSolve {
				continue
			}
			for _, half := range []bool{false, kind == contract.ProductBlock} {
				f := newSpecialized(e, contract.ProductKey{Kind: kind, DType: dt, Half: half})
				f.build(t.Context(), x)
				require.NoError(t, f.err)
				t.Cleanup(func() { require.NoError(t, f.close()) })
				p, plan := f.smallest()
				c := make([]byte, 3*dt.Size())
				p.C.Data = c[dt.Size():][:dt.Size()]
				if kind >= contract.ProductSolve {
					copy(p.C.Data, p.A.Data) // the operand that is replaced
				}
				caller, err := f.take()
				require.NoError(t, err)
				require.NoError(t, caller.run(x, p, plan))
				f.giveBack(caller)
				require.Equal(t, slices.Concat(make([]byte, dt.Size()), p.A.Data, make([]byte, dt.Size())), c, "%v %v", kind, dt)
			}
		}
	}
}

func TestGoldenFilesSayWhatProductsFillIn(t *testing.T) {
	tile := contract.PlanProduct(ocltest.GPU(256),
		contract.ProductShape{Key: contract.ProductKey{Kind: contract.ProductTile, DType: tensor.Float32, BTrans: true}, M: 900, N: 900,
			K: 900}).Key
	for name, c := range map[string]struct {
		key   contract.ProductKey
		facts *facts.Device
	}{
		"block.cl": {contract.ProductKey{Kind: contract.ProductBlock, DType: tensor.Float32}, ocltest.CPU(16)},
		"block-transposed.cl": {contract.ProductKey{Kind: contract.ProductBlock, DType: tensor.Float64, ATrans: true, BTrans: true},
			ocltest.CPU(16)},
		"block-half.cl": {contract.ProductKey{Kind: contract.ProductBlock, DType: tensor.Float32, BTrans: true, Half: true}, ocltest.CPU(16)},
		"dot.cl":        {contract.ProductKey{Kind: contract.ProductDot, DType: tensor.Float64}, ocltest.CPU(8)},
		"stream.cl":     {contract.ProductKey{Kind: contract.ProductStream, DType: tensor.Float32}, ocltest.CPU(16)},
		"tile.cl":       {tile, ocltest.GPU(256)},
		"triangle.cl":   {contract.ProductKey{Kind: contract.ProductSolve, DType: tensor.Float64, BTrans: true}, ocltest.CPU(16)},
	} {
		requirePinned(t, filepath.Join("testdata", "product", name), taskText(contract.ProductProgram(c.facts, c.key)))
	}
}

func BenchmarkProducts(b *testing.B) {
	e := device(b, "", nil)
	e.host = newHostPath(e)
	x := NewProducts(e)
	defer x.Close()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for _, s := range [][3]int{{16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512},
			{1024, 1024, 1024}, {1024, 1, 1024}, {1, 1024, 1024}, {2048, 2048, 1}} {
			b.Run(fmt.Sprintf("%v/%dx%dx%d", dt, s[0], s[1], s[2]), func(b *testing.B) {
				m, n, k := s[0], s[1], s[2]
				data := func(n int) []byte { return make([]byte, n*dt.Size()) }
				p := &Product{DType: dt, M: m, N: n, K: k, Alpha: 1, A: Operand{Data: data(m * k), LD: k}, B: Operand{Data: data(k * n), LD: n},
					C: Operand{Data: data(m * n), LD: n}}
				require.NoError(b, x.Run(p, true))
				for b.Loop() {
					_ = x.Run(p, true)
				}
				b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}

func (c productCase) String() string {
	return fmt.Sprintf("%v/%dx%dx%d/%v%v/%g,%g/+%d/%d", c.dtype, c.m, c.n, c.k, c.aT, c.bT, c.alpha, c.beta, c.extra, c.half)
}

func (c *triangleOperands[T]) at(i, j int) int {
	if c.tT {
		i, j = j, i
	}
	return i*c.lda + j
}

func (c *triangleOperands[T]) place(i, j int) int {
	if c.bT {
		i, j = j, i
	}
	return i*c.ldb + j
}

// width is how much of a row in memory is B.
func (c *triangleOperands[T]) width() int {
	if c.bT {
		return c.order
	}
	return c.columns
}

// check compares the new content of B with its definition: T·X = alpha·B, or X = alpha·T·B.
func (c *triangleOperands[T]) check(t *testing.T, got []T) {
	from, to := c.b, got // to = alpha·T·from
	if c.solve {
		from, to = got, c.b
	}
	tol := 2e-6
	if any(T(0)) == any(float64(0)) {
		tol = 1e-14
	}
	for i := range c.order {
		for j := range c.columns {
			sum := float64(from[c.place(i, j)])
			if !c.unit {
				sum *= float64(c.a[c.at(i, i)])
			}
			for k := range c.order {
				if k != i && c.lower == (k < i) {
					sum += float64(c.a[c.at(i, k)]) * float64(from[c.place(k, j)])
				}
			}
			want := triangleAlpha * sum
			if c.solve {
				want = sum / triangleAlpha
			}
			require.InDelta(t, want, float64(to[c.place(i, j)]), tol*float64(c.order+4), "row %d, column %d", i, j)
		}
	}
	for i := range c.b {
		if i%c.ldb >= c.width() {
			require.Equal(t, c.b[i], got[i], "behind a row")
		}
	}
}

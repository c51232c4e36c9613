package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func cpuFacts(lanes int) *facts.Device {
	return &facts.Device{
		Name: "cpu", CPU: true, Units: 2, WorkGroup: 4096, LocalMem: 512 << 10,
		VectorLanes: lanes, ArgBytes: 1024, MaxAlloc: 1 << 30, FP64: true,
	}
}

// matmul is batch x m x n x k with A [b][m][k] (ta: [b][k][m]) and B [b][k][n] (tb: [b][n][k]).
func matmul(dt tensor.DType, b, m, n, k int, ta, tb bool) *engine.Task {
	dims := engine.Domain{b, m, n, k}
	dense := func(input int, axes ...int) *engine.Expr {
		x := engine.ConstIndex(0)
		for _, a := range axes {
			x = x.Mul(int64(dims[a])).Add(engine.AxisIndex(a))
		}
		return engine.Load(input, dt, x, nil)
	}
	t := &engine.Task{
		Kind: engine.Contract, Name: "matmul", Axes: dims, Groups: []int{1, 1, 1, 1}, Acc: engine.AccType(dt),
		Ins:  []engine.Operand{{DType: dt, Len: int64(b * m * k)}, {DType: dt, Len: int64(b * k * n)}},
		Outs: []engine.Operand{{DType: dt, Len: int64(b * m * n)}},
		A:    dense(0, 0, 1, 3), B: dense(1, 0, 3, 2),
	}
	if ta {
		t.A = dense(0, 0, 3, 1)
	}
	if tb {
		t.B = dense(1, 0, 2, 3)
	}
	t.Values = []*engine.Expr{engine.Acc(0, t.Acc)}
	if dt != t.Acc {
		t.Values[0] = engine.Apply(&engine.Scalar{Name: "cast", Function: engine.FnCast, Arity: 1, OpenCL: "$cast(a)"}, dt, t.Values[0])
	}
	return t
}

// Rows of the output that do not begin on a line are not divided between cores, unless sums are so long that stores are few.
func TestShortSumsKeepLinesOfTheOutputToOneCore(t *testing.T) {
	t.Parallel()
	block := func(m, k, n int) BlockChoice {
		return Separate(cpuFacts(16), matmul(tensor.Float32, 1, m, n, k, false, true), false).ChooseBlock()
	}
	require.Equal(t, int64(6), block(2323, 21, 191).panels)
	require.Equal(t, int64(41), block(2195, 2, 1301).panels)
	require.Less(t, block(333, 777, 555).panels, int64(18))
}

func TestScratchStaysBounded(t *testing.T) {
	t.Parallel()
	for _, task := range []*engine.Task{
		matmul(tensor.Float32, 1, 8192, 8192, 8192, true, true),
		matmul(tensor.BFloat16, 7, 2000, 3000, 100_000, false, true),
		matmul(tensor.Float64, 500, 300, 300, 300, false, true),
	} {
		p, err := variant.MakePlan(cpuFacts(16), nil, task, "contract=panel")
		require.NoError(t, err)
		require.LessOrEqual(t, p.Scratch[scratchA], int64(PackBytes))
		require.LessOrEqual(t, p.Scratch[scratchB], int64(PackBytes))
	}
}

func TestPanelsThatCostTooManyLinesAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task         *engine.Task
		steady, kept bool
		ahead        int
	}{
		"rows on lines":          {matmul(tensor.Float32, 1, 16, 512, 512, false, false), true, true, 0},
		"few rows on lines":      {matmul(tensor.Float32, 1, 16, 64, 128, false, false), true, false, 0},
		"rows across lines":      {matmul(tensor.Float32, 1, 16, 500, 512, false, false), true, true, 0},
		"two rows of A":          {matmul(tensor.Float32, 1, 2, 512, 512, false, false), true, true, 0},
		"rows of a weight":       {matmul(tensor.Float32, 1, 16, 512, 512, false, true), true, true, 0},
		"of another operand":     {matmul(tensor.Float32, 1, 16, 500, 512, false, false), false, false, 3},
		"halves, which widen":    {matmul(tensor.Float16, 1, 16, 500, 512, false, false), true, false, 3},
		"a weight of each batch": {matmul(tensor.Float32, 3, 16, 500, 512, false, false), true, false, 3},
		"in the innermost cache": {matmul(tensor.Float32, 1, 16, 100, 100, false, false), false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.task.Ins[1].Steady = c.steady
			con := Separate(cpuFacts(16), c.task, false)
			p := con.ChoosePanel()
			require.Equal(t, c.kept, p.keepB)
			require.Equal(t, c.ahead, p.linesAhead(con))
		})
	}
}

// Kernels of few outputs each are columns of the product where a pack of them is kept: as rows, beside columns that fill few lanes of
// a vector, they take several times as long.
func TestKeptKernelsAreColumnsBesideFewPixels(t *testing.T) {
	t.Parallel()
	for steady, swapped := range map[bool]bool{true: false, false: true} {
		task := matmul(tensor.Float32, 1, 3, 128, 3*129, false, true)
		task.Axes, task.Groups = engine.Domain{1, 3, 128, 3, 129}, []int{1, 1, 1, 2}
		at := func(c, axis int) *engine.Index { return engine.AxisIndex(axis).Mul(int64(c)) }
		task.A = engine.Load(0, tensor.Float32, at(3*129, 1).Add(at(129, 3)).Add(at(1, 4)), nil)
		task.B = engine.Load(1, tensor.Float32, at(3*129, 2).Add(at(1, 3)).Add(at(3, 4)), nil) // of a kernel, nothing adjoins in the order of k
		task.Ins[1].Steady = steady
		plain := func(swap bool) *Contraction { return Separate(cpuFacts(8), task, swap) }
		require.Equal(t, swapped, swapBetter(cpuFacts(8), task, plain), "steady %v", steady)
	}
}

// Blocks of 16 bits are read from multiples of four bytes, or of eight, only: where
// strides are odd, values are loaded one by one.
func TestSubgroupsReadBlocksWhereTheyAreAligned(t *testing.T) {
	t.Parallel()
	for size, near := range map[int]bool{64: true, 66: false, 67: false} {
		c := Separate(&facts.Device{Name: "gpu", Units: 20, WorkGroup: 256, LocalMem: 32 << 10, SubgroupLanes: 8, VectorLanes: 1, ArgBytes: 1024,
			MaxAlloc: 1 << 30, FP64: true}, access.Collapse(matmul(tensor.Float16, 2, 64, 64, size, false, true)), false)
		b, ok := c.subgroupB()
		require.Equal(t, near, ok, "four values of a row of %d", size)
		if near {
			require.Equal(t, 8, b.wide)
			require.EqualValues(t, size, b.step)
		}
		_, reads := c.subgroupA(c.chooseSubgroup().Shape)
		require.Equal(t, size%2 == 0, reads > 0, "rows of %d", size)
	}
}

func TestSmallContractionsAreCompiledWithLessEffort(t *testing.T) {
	t.Parallel()
	const once = "-DONCE"
	options := func(d *facts.Device, n int) (all []string) {
		d.OptimizedOnce = once
		p, err := variant.MakePlan(d, nil, matmul(tensor.Float32, 1, n, n, n, false, false), "")
		require.NoError(t, err)
		for _, l := range p.Launches {
			all = append(all, l.Program.Options)
		}
		return all
	}
	for _, o := range options(cpuFacts(8), 32) {
		require.Contains(t, o, once)
	}
	for _, o := range options(cpuFacts(8), 512) {
		require.NotContains(t, o, once)
	}
	off := cpuFacts(8)
	off.Unoptimized = true
	for _, o := range options(off, 32) {
		require.NotContains(t, o, once)
	}
}

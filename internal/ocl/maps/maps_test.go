package maps_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestMapOfEveryDTypeInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, variantName := range []string{"item", "block"} {
		for i, dt := range tensor.DTypes() {
			if variantName == "block" && i%3 > 0 {
				continue // the dtype's text is that of the other variant
			}
			t.Run(fmt.Sprintf("%s/%v", variantName, dt), func(t *testing.T) {
				t.Parallel()
				e := device(t, "map="+variantName, nil)
				r := rand.New(rand.NewPCG(1, uint64(dt)))
				for _, n := range []int{0, 1, 7, 1031} {
					dom := engine.Domain{n}
					in := engine.Operand{DType: dt, Len: int64(n)}
					x := engine.Load(0, dt, sample.DenseAt(dom, 0), nil)
					v := x
					if dt != tensor.Bool {
						v = engine.Apply(sample.Sub, dt, engine.Apply(sample.Mul, dt, x, x), engine.Load(1, dt, sample.DenseAt(dom, 0), nil))
					}
					task := sample.Map(dom, v, in, in)
					p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(r, dt, in.Len), ocltest.RandomBytes(r, dt, in.Len)}, 1e-6, 1)
					if n > 0 {
						require.Contains(t, p.Variant, variantName)
					}
				}
			})
		}
	}
}

// Transposes of all dtypes, whole tiles and edges, with the axis that is read
// along next to the last and further out, alone and with a fused operand: all in
// float32, of the other dtypes some each.
func TestTilesTurnEveryDType(t *testing.T) {
	ocltest.NumbersOnly(t)
	for number, dt := range ocltest.DeviceDTypes(t) {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := device(t, "map=tile", nil)
			r := rand.New(rand.NewPCG(5, uint64(dt)))
			for i, c := range []struct {
				dom  engine.Domain
				from []int // the axes of the input, outermost first
			}{
				{engine.Domain{64, 48}, []int{1, 0}},
				{engine.Domain{37, 19}, []int{1, 0}},
				{engine.Domain{300, 7}, []int{1, 0}},
				{engine.Domain{3, 21, 33}, []int{0, 2, 1}},
				{engine.Domain{18, 3, 35}, []int{2, 1, 0}},
				{engine.Domain{37, 11}, []int{1, 0}},
				{engine.Domain{3, 20, 13}, []int{0, 2, 1}},
				{engine.Domain{2, 40, 2, 7}, []int{0, 2, 3, 1}},
			} {
				if dt != tensor.Float32 && !ocltest.OneIn(i+number, 8) || dt == tensor.Float32 && !ocltest.OneIn(i, 2) {
					continue
				}
				in := engine.Operand{DType: dt, Len: c.dom.Size()}
				x := engine.Load(0, dt, sample.DenseAt(c.dom, c.from...), nil)
				if dt == tensor.Float32 || dt == tensor.Bool || i%2 == 0 {
					p := ocltest.Verify(t, e, sample.Map(c.dom, x, in), [][]byte{ocltest.RandomBytes(r, dt, in.Len)}, 0, 0)
					require.Contains(t, p.Variant, "tile")
				}
				if dt == tensor.Float32 || dt != tensor.Bool && i%2 != 0 {
					row := engine.Operand{DType: dt, Len: int64(c.dom[len(c.dom)-1])}
					v := engine.Apply(sample.Add, dt, x, engine.Load(1, dt, engine.AxisIndex(len(c.dom)-1), nil))
					ocltest.Verify(t, e, sample.Map(c.dom, v, in, row), [][]byte{ocltest.RandomBytes(r, dt, in.Len), ocltest.RandomBytes(r, dt, row.Len)},
						1e-6, 1)
				}
			}
		})
	}
}

// Rows of more than half a vector are a part of one each.
func TestRowsOfAPartOfAVector(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for number, dt := range ocltest.DeviceDTypes(t) {
		for i, dom := range []engine.Domain{{5, 40, 10}, {3, 7, 15}, {2, 33, 9}, {6, 5, 29}} {
			if dt != tensor.Float32 && !ocltest.OneIn(i+number, 4) {
				continue
			}
			t.Run(fmt.Sprintf("%v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				e := device(t, "map=block", nil)
				in := engine.Operand{DType: dt, Len: dom.Size()}
				task := sample.Map(dom, engine.Load(0, dt, sample.DenseAt(dom, 1, 0, 2), nil), in)
				p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 1), 0, 0)
				if e.Facts().CPU {
					require.Contains(t, p.Variant, fmt.Sprintf("x%d ", dom[2]))
				}
				if dt == tensor.Float32 {
					many := sample.SeveralValues(dom)
					many.Alias = nil
					ocltest.Verify(t, e, many, ocltest.RandomInputs(many, 1), 1e-6, 1)
				}
			})
		}
	}
}

// Images in row-major order, padded, with their channels last: images that are
// wider and narrower than a tile, at both ends of the buffer, moved outside, and
// of types that are stored in 16 bits.
func TestPaddedImagesAreTurned(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	f, half, bfloat := tensor.Float32, tensor.Float16, tensor.BFloat16
	for _, c := range []struct {
		in                     tensor.DType
		n, c, h, w             int
		top, left, down, right int
	}{
		{f, 2, 16, 3, 20, 1, 1, 1, 1},
		{f, 1, 35, 2, 14, 0, 2, 1, 3},
		{f, 3, 40, 1, 7, 2, 9, 0, 0},
		{f, 1, 16, 2, 40, 0, -3, 0, -2},
		{f, 2, 17, 1, 3, 1, 30, 1, 2},
		{half, 2, 19, 3, 33, 1, 1, 1, 1},
		{bfloat, 1, 20, 2, 16, 1, 2, 0, 1},
		{f, 3, 14, 3, 20, 1, 1, 1, 1},
		{f, 2, 9, 2, 14, 0, 2, 1, 3},
		{f, 1, 15, 1, 16, 0, 0, 0, 1},
		{half, 2, 13, 3, 33, 1, 1, 1, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			task := sample.PaddedImages(c.in, [4]int{c.n, c.c, c.h, c.w}, [4]int{c.top, c.left, c.down, c.right})
			r := rand.New(rand.NewPCG(3, 4))
			p := ocltest.Verify(t, device(t, "map=tile", nil), task, [][]byte{ocltest.RandomBytes(r, c.in, task.Ins[0].Len)}, 0, 0)
			if c.left >= 0 {
				require.Contains(t, p.Variant, "padded")
			}
		})
	}
}

func TestLiteralsAreOfTheWidthThatIsComputedIn(t *testing.T) {
	for dt, tol := range map[tensor.DType]float64{tensor.Float32: 1e-6, tensor.Float64: 1e-15} {
		t.Run(dt.String(), func(t *testing.T) {
			dom := engine.Domain{100}
			in := engine.Operand{DType: dt, Len: 100}
			x := engine.Load(0, dt, engine.AxisIndex(0), nil)
			task := sample.Map(dom, engine.Apply(sample.Mix, dt, x, engine.Apply(sample.Exp, dt, x)), in)
			ocltest.Verify(t, device(t, "", nil), task, [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(3, 3)), dt, 100)}, tol, 1)
		})
	}
}

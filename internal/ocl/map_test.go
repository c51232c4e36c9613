package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func TestMapOfEveryDTypeInEveryVariant(t *testing.T) {
	numbersOnly(t)
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
					x := engine.Load(0, dt, denseAt(dom, 0), nil)
					v := x
					if dt != tensor.Bool {
						v = engine.Apply(fnSub, dt, engine.Apply(fnMul, dt, x, x), engine.Load(1, dt, denseAt(dom, 0), nil))
					}
					task := mapTask(dom, v, in, in)
					p := verify(t, e, task, [][]byte{randomBytes(r, dt, in.Len), randomBytes(r, dt, in.Len)}, 1e-6, 1)
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
	numbersOnly(t)
	for number, dt := range deviceDTypes(t) {
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
				if dt != tensor.Float32 && !one(i+number, 8) || dt == tensor.Float32 && !one(i, 2) {
					continue
				}
				in := engine.Operand{DType: dt, Len: c.dom.Size()}
				x := engine.Load(0, dt, denseAt(c.dom, c.from...), nil)
				if dt == tensor.Float32 || dt == tensor.Bool || i%2 == 0 {
					p := verify(t, e, mapTask(c.dom, x, in), [][]byte{randomBytes(r, dt, in.Len)}, 0, 0)
					require.Contains(t, p.Variant, "tile")
				}
				if dt == tensor.Float32 || dt != tensor.Bool && i%2 != 0 {
					row := engine.Operand{DType: dt, Len: int64(c.dom[len(c.dom)-1])}
					v := engine.Apply(fnAdd, dt, x, engine.Load(1, dt, engine.AxisIndex(len(c.dom)-1), nil))
					verify(t, e, mapTask(c.dom, v, in, row), [][]byte{randomBytes(r, dt, in.Len), randomBytes(r, dt, row.Len)}, 1e-6, 1)
				}
			}
		})
	}
}

// Rows of more than half a vector are a part of one each.
func TestRowsOfAPartOfAVector(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	for number, dt := range deviceDTypes(t) {
		for i, dom := range []engine.Domain{{5, 40, 10}, {3, 7, 15}, {2, 33, 9}, {6, 5, 29}} {
			if dt != tensor.Float32 && !one(i+number, 4) {
				continue
			}
			t.Run(fmt.Sprintf("%v %v", dt, dom), func(t *testing.T) {
				t.Parallel()
				e := device(t, "map=block", nil)
				in := engine.Operand{DType: dt, Len: dom.Size()}
				task := mapTask(dom, engine.Load(0, dt, denseAt(dom, 1, 0, 2), nil), in)
				p := verify(t, e, task, randomInputs(task, 1), 0, 0)
				if e.facts.CPU {
					require.Contains(t, p.Variant, fmt.Sprintf("x%d ", dom[2]))
				}
				if dt == tensor.Float32 {
					many := severalValues(dom)
					many.Alias = nil
					verify(t, e, many, randomInputs(many, 1), 1e-6, 1)
				}
			})
		}
	}
}

// paddedImages copies images [n c h w] to [n h w c] with zeros above, left of, below
// and right of them.
func paddedImages(dt tensor.DType, size, around [4]int) *engine.Task {
	n, c, h, w := size[0], size[1], size[2], size[3]
	dom := engine.Domain{n, h + around[0] + around[2], w + around[1] + around[3], c}
	y, x := engine.AxisIndex(1).AddConst(int64(-around[0])), engine.AxisIndex(2).AddConst(int64(-around[1]))
	at := engine.AxisIndex(0).Mul(int64(c)).Add(engine.AxisIndex(3)).Mul(int64(h)).Add(y).Mul(int64(w)).Add(x)
	inside := []engine.Cond{{X: y, Lo: 0, Hi: int64(h)}, {X: x, Lo: 0, Hi: int64(w)}}
	return mapTask(dom, engine.Load(0, dt, at, inside), engine.Operand{DType: dt, Len: int64(n * c * h * w)})
}

// Images in row-major order, padded, with their channels last: images that are
// wider and narrower than a tile, at both ends of the buffer, moved outside, and
// of types that are stored in 16 bits.
func TestPaddedImagesAreTurned(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	f, half, brain := tensor.Float32, tensor.Float16, tensor.BFloat16
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
		{brain, 1, 20, 2, 16, 1, 2, 0, 1},
		{f, 3, 14, 3, 20, 1, 1, 1, 1},
		{f, 2, 9, 2, 14, 0, 2, 1, 3},
		{f, 1, 15, 1, 16, 0, 0, 0, 1},
		{half, 2, 13, 3, 33, 1, 1, 1, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			task := paddedImages(c.in, [4]int{c.n, c.c, c.h, c.w}, [4]int{c.top, c.left, c.down, c.right})
			r := rand.New(rand.NewPCG(3, 4))
			p := verify(t, device(t, "map=tile", nil), task, [][]byte{randomBytes(r, c.in, task.Ins[0].Len)}, 0, 0)
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
			task := mapTask(dom, engine.Apply(fnMix, dt, x, engine.Apply(fnExp, dt, x)), in)
			verify(t, device(t, "", nil), task, [][]byte{randomBytes(rand.New(rand.NewPCG(3, 3)), dt, 100)}, tol, 1)
		})
	}
}

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
	for _, variant := range []string{"item", "block"} {
		for i, dt := range tensor.DTypes() {
			if variant == "block" && i%3 > 0 {
				continue // the dtype's text is that of the other variant
			}
			t.Run(fmt.Sprintf("%s/%v", variant, dt), func(t *testing.T) {
				t.Parallel()
				e := device(t, "map="+variant, nil)
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
						require.Contains(t, p.Variant, variant)
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
			} {
				if dt != tensor.Float32 && (i+number)%3 != 0 {
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

package maps_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// Whether a gathered index is in range is asked in the type that it has: see fitsInt.
func TestIndicesOf32BitsAreComparedInInt(t *testing.T) {
	for dt, want := range map[tensor.DType]string{tensor.Int32: "int", tensor.Uint8: "int", tensor.Uint32: "long", tensor.Int64: "long"} {
		dom := engine.Domain{64}
		key := engine.Load(0, dt, sample.DenseAt(dom, 0), nil)
		at := engine.DataIndex(key)
		v := engine.Load(1, tensor.Float32, at, []engine.Cond{{X: at, Lo: 0, Hi: 100}})
		task := sample.Map(dom, v, engine.Operand{DType: dt, Len: 64}, engine.Operand{DType: tensor.Float32, Len: 100})
		p, err := variant.MakePlan(ocltest.GPU(256), nil, task, "map=item")
		require.NoError(t, err)
		_, text, _ := strings.Cut(p.Launches[0].Program.Text(), " value_hook(")
		require.Regexp(t, `const `+want+` z\d+ = [^;]*;\s+const int g\d+ = z\d+ >= 0`, text, dt)
	}
}

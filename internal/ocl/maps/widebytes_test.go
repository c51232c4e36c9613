package maps_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// The compiler of a device with this quirk sees a byte only in a load, whose result it cannot know
// to fit in a byte, and in a store.
func TestBytesAreHeldInWords(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Bool} {
		dom := engine.Domain{64}
		task := sample.Map(dom, engine.Load(0, dt, sample.DenseAt(dom, 0), nil), engine.Operand{DType: dt, Len: 64})
		hook := func(d *facts.Device) string {
			p, err := variant.MakePlan(d, nil, task, "map=item")
			require.NoError(t, err)
			_, text, ok := strings.Cut(p.Launches[0].Program.Text(), " value_hook(")
			require.True(t, ok)
			text, _, _ = strings.Cut(text, "\n}\n")
			return text
		}
		d := *ocltest.GPU(256)
		require.NotContains(t, hook(&d), "const int v", dt)
		d.WideBytes = true
		require.Contains(t, hook(&d), "const int v", dt)
		require.Regexp(t, `\(\(int\)LOAD_`+dt.String()+`\(p0, \w+\) >> n\d+\)`, hook(&d))
	}
}

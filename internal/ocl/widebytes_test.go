package ocl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// What the compiler of a device with this quirk sees of a byte is a load, whose result it cannot
// know to fit in a byte, and a store.
func TestBytesAreHeldInWords(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Bool} {
		dom := engine.Domain{64}
		task := mapTask(dom, engine.Load(0, dt, denseAt(dom, 0), nil), engine.Operand{DType: dt, Len: 64})
		hook := func(d *deviceFacts) string {
			p, err := makePlan(d, nil, task, "map=item")
			require.NoError(t, err)
			_, text, ok := strings.Cut(p.launches[0].prog.source, " value_hook(")
			require.True(t, ok)
			text, _, _ = strings.Cut(text, "\n}\n")
			return text
		}
		d := *gpuFacts(256)
		require.NotContains(t, hook(&d), "const int v", dt)
		d.wideBytes = true
		require.Contains(t, hook(&d), "const int v", dt)
		require.Regexp(t, `\(\(int\)LOAD_`+dt.String()+`\(p0, \w+\) >> n\d+\)`, hook(&d))
	}
	require.Equal(t, "WIDE_CHAR(v ? WIDE_UCHAR(x) : (char)0)", wideBytes.Replace("(char)(v ? (uchar)(x) : (char)0)"))
	g := &gen{dev: &deviceFacts{wideBytes: true}}
	require.Equal(t, "short", g.heldType(tensor.Int16))
	require.Equal(t, "float", g.heldType(tensor.Float32))
}

package platform

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProgramsMayBeOptimizedOnce(t *testing.T) {
	d := device(t)
	if !d.has(quirk.TwicePasses) {
		require.Empty(t, d.OptimizedOnce())
		t.Skip("needs a driver that optimises twice")
	}
	var builds atomic.Int32
	var refuses atomic.Bool // the next build
	o := fresh(t, &cl.Options{Wrap: func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Build" {
				if builds.Add(1); refuses.Swap(false) {
					return cldriver.Status(cl.InvalidBuildOptions)
				}
			}
			return do()
		})
	}}, &Options{CacheDir: CacheOff})
	build := func(source string) int32 {
		before := builds.Load()
		_, err := o.Program(t.Context(), "scale", source, d.OptimizedOnce())
		require.NoError(t, err)
		return builds.Load() - before
	}
	// Clang's own macros show that it is given its options.
	asks := strings.Replace(scale(91), "kernel", "#ifndef __OPTIMIZE_SIZE__\n#error options are lost\n#endif\nkernel", 1)
	assert.EqualValues(t, 1, build(asks))
	refuses.Store(true)
	assert.EqualValues(t, 2, build(scale(92)), "built without")
	assert.EqualValues(t, 1, build(scale(93)), "not tried again")
}

func TestBodiesThatAreFunctionsAreCompiledOnce(t *testing.T) {
	d := device(t)
	if !d.BodiesApart() {
		t.Skip("needs a driver that compiles kernels several times")
	}
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	const number = 0x7123456789abcdef
	copies := func(attribute string) int {
		prog, err := o.Program(t.Context(), "body", fmt.Sprintf(`static inline __attribute__((%s)) void body(const ulong i, global ulong *x) { x[i] *= %dUL; }
kernel void times(global ulong *x) { body(get_global_id(0), x); }`, attribute, uint64(number)), "")
		require.NoError(t, err)
		b, err := prog.Binary(o.cl)
		require.NoError(t, err)
		return bytes.Count(b, binary.LittleEndian.AppendUint64(nil, number))
	}
	assert.GreaterOrEqual(t, copies("always_inline"), 3)
	assert.Equal(t, 1, copies("noinline"))
}

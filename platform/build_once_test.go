package platform

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
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

// programCalls counts the programs that a driver is asked for, and fails those of binaries as long as it refuses them.
type programCalls struct {
	sources, binaries atomic.Int32
	refuses           atomic.Bool
}

func (c *programCalls) options() *cl.Options {
	return &cl.Options{Wrap: func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			switch call {
			case "ProgramFromSource":
				c.sources.Add(1)
			case "ProgramFromBinary":
				if c.binaries.Add(1); c.refuses.Load() {
					return cldriver.Status(cl.InvalidBinary)
				}
			}
			return do()
		})
	}}
}

// takes returns what a driver was asked for since it was last called.
func (c *programCalls) takes() [2]int32 { return [2]int32{c.sources.Swap(0), c.binaries.Swap(0)} }

func TestProgramsAreMadeOfBitcode(t *testing.T) {
	if d := device(t); !d.has(quirk.Preprocesses) {
		t.Skip("needs a driver that preprocesses what it has in its cache")
	}
	dir := t.TempDir()
	var calls programCalls
	open := func(dir string) *Opened {
		o := freshAs(t, calls.options(), &Options{CacheDir: dir}, func(*Device) {})
		runScale(t, o, "first.cl", 81, 10) // which confirms what an inline device was proven to do
		calls.takes()
		return o
	}
	cold := open(dir)
	runScale(t, cold, "scale.cl", 82, 100)
	assert.Equal(t, [2]int32{1, 1}, calls.takes(), "a library, and a program of its bitcode")
	assert.EqualValues(t, 2, cold.Stats().ProgramsBuilt)
	if cold.device.inline != nil && cold.paired {
		_, err := cold.programFor(t.Context(), programKey{"scale.cl", scale(82), "", cold.device.inline.cl})
		require.NoError(t, err)
		assert.Equal(t, [2]int32{1, 1}, calls.takes(), "the inline device's own")
	}

	warm := open(dir)
	runScale(t, warm, "scale.cl", 82, 100)
	assert.Equal(t, [2]int32{0, 1}, calls.takes(), "nothing is preprocessed")
	assert.EqualValues(t, 2, warm.Stats().ProgramsLoaded)
	_, err := warm.Program(t.Context(), "wrong.cl", "kernel void k(global float *y) {\n    y[0] = mistaken;\n}", "")
	var wrong *cl.BuildError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, 2, wrong.Line)
	assert.NotContains(t, wrong.Options, asLibrary)

	for _, path := range entries(t, dir) {
		require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o600))
	}
	damaged := open(dir)
	runScale(t, damaged, "scale.cl", 82, 100)
	assert.Equal(t, [2]int32{1, 1}, calls.takes(), "made again")

	calls.refuses.Store(true)
	refusing := open(dir)
	runScale(t, refusing, "scale.cl", 82, 100)
	assert.Equal(t, [2]int32{1, 0}, calls.takes(), "built of its source, and bitcode is not tried again")
	calls.refuses.Store(false)

	off := open(CacheOff)
	runScale(t, off, "scale.cl", 82, 100)
	assert.Equal(t, [2]int32{1, 0}, calls.takes(), "nothing is kept")
}

func TestBitcodeIsFoundInBinaries(t *testing.T) {
	const before, name = "poclbin\x00....", "\x0b\x00\x00\x00/program.bc"
	for _, c := range []struct{ binary, want string }{
		{before + name + "\x06\x00\x00\x00BC\xc0\xde12rest", "BC\xc0\xde12"},
		{before + name + "\x07\x00\x00\x00BC\xc0\xde12", ""},
		{before + name + "\xff\xff\xff\xffBC\xc0\xde12", ""},
		{before + name + "\x06\x00\x00\x00ELF\x0012", ""},
		{before + name + "\x06\x00", ""},
		{before + "/program.bc\x06\x00\x00\x00BC\xc0\xde12", ""},
		{"", ""},
	} {
		assert.Equal(t, c.want, string(bitcodeIn([]byte(c.binary))), "%q", c.binary)
	}
}

package cl_test

import (
	"encoding/binary"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestProgramMistakesAreErrors(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.ctx.NewProgram()
	require.ErrorIs(t, err, cl.InvalidValue)
	_, err = r.ctx.NewProgram("a\x00b")
	require.ErrorIs(t, err, cl.InvalidValue)
	p, err := r.ctx.NewProgram(addOne)
	require.NoError(t, err)
	closing(t, p)
	_, err = p.Kernel("add")
	require.ErrorIs(t, err, cl.InvalidProgramExecutable, "not built yet")
	_, err = p.Binary(r.dev)
	require.Error(t, err, "drivers differ in the status")
	require.Error(t, p.Build("-no-such-option"))
	require.ErrorIs(t, p.Build("\x00"), cl.InvalidBuildOptions)
	require.ErrorIs(t, p.Build("", nil), cl.InvalidDevice)
	require.NoError(t, p.Build(""))
	_, err = p.Kernel("none")
	require.ErrorIs(t, err, cl.InvalidKernelName)
	_, err = p.Kernel("")
	require.ErrorIs(t, err, cl.InvalidKernelName)
	_, err = p.Binary(nil)
	require.ErrorIs(t, err, cl.InvalidDevice)
	_, err = r.ctx.NewProgramFromBinary(r.dev, nil)
	require.ErrorIs(t, err, cl.InvalidValue)
	_, err = r.ctx.NewProgramFromBinary(nil, []byte{1})
	require.ErrorIs(t, err, cl.InvalidDevice)
}

func TestBuildFailureCarriesLogAndLine(t *testing.T) {
	r := newRig(t, nil)
	p, err := r.ctx.NewProgram("kernel void good() {}\n\n", "kernel void bad(global int *x) {\n  x[0] = UNDECLARED;\n}\n")
	require.NoError(t, err)
	closing(t, p)
	err = p.Build("-DA=1")
	be := new(cl.BuildError)
	require.ErrorAs(t, err, &be)
	require.ErrorIs(t, err, cl.BuildProgramFailure)
	require.Contains(t, be.Log, "UNDECLARED")
	require.Equal(t, 4, be.Line)
	require.Equal(t, "-DA=1", be.Options)
	require.ErrorContains(t, err, "UNDECLARED")
	require.ErrorContains(t, err, strings.TrimSpace(r.dev.Info().Name))
	log, err := p.Log(r.dev)
	require.NoError(t, err)
	require.Equal(t, be.Log, log)
}

func TestLineDirectiveNamesTheFile(t *testing.T) {
	r := newRig(t, nil)
	p, err := r.ctx.NewProgram("#line 57 \"reduce.cl\"\nkernel void bad(global int *x) { x[0] = VEC; }\n")
	require.NoError(t, err)
	closing(t, p)
	be := new(cl.BuildError)
	require.ErrorAs(t, p.Build(""), &be)
	require.Equal(t, 57, be.Line)
	require.True(t, strings.HasSuffix(be.File, "reduce.cl"), be.File)
}

func TestBinaryRunsLikeItsSource(t *testing.T) {
	r := newRig(t, nil)
	bin, err := r.build(t, addOne).Binary(r.dev)
	require.NoError(t, err)
	require.NotEmpty(t, bin)
	p, err := r.ctx.NewProgramFromBinary(r.dev, bin)
	require.NoError(t, err)
	closing(t, p)
	require.NoError(t, p.Build(""))
	k, err := p.Kernel("add")
	require.NoError(t, err)
	closing(t, k)
	b := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 42))
	require.NoError(t, r.q.Launch(k, cl.Range1(1, 0), nil))
	require.Equal(t, uint32(42), binary.NativeEndian.Uint32(r.content(t, b)))
}

func TestILIsUnsupportedWhereTheDeviceListsNone(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.ctx.NewProgramFromIL(nil)
	require.ErrorIs(t, err, cl.InvalidValue)
	_, err = r.ctx.NewProgramFromIL([]byte{3, 2, 35, 7, 0, 0, 0, 0})
	if len(r.dev.Info().ILVersions) == 0 {
		require.ErrorIs(t, err, cl.ErrUnsupported)
	} else {
		require.Error(t, err, "a header alone is not a module")
	}
}

func TestBuiltInKernelsAreFoundByName(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.ctx.NewBuiltInProgram("no.such.kernel")
	require.ErrorIs(t, err, cl.InvalidValue)
	names := r.dev.Info().BuiltInKernels
	if len(names) == 0 {
		t.Skip("the device has no built-in kernels")
	}
	p, err := r.ctx.NewBuiltInProgram(names[0])
	require.NoError(t, err)
	closing(t, p)
	if err := p.Build(""); err != nil {
		require.ErrorIs(t, err, cl.BuildProgramFailure) // PoCL 3.1 lists kernels that it cannot build
		return
	}
	k, err := p.Kernel(names[0])
	require.NoError(t, err)
	closing(t, k)
	require.Positive(t, k.NumArgs())
}

func TestBinaryMayBeAskedForByManyGoroutines(t *testing.T) {
	r := newRig(t, nil)
	p := r.build(t, addOne)
	want, err := p.Binary(r.dev)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				bin, err := p.Binary(r.dev)
				errorFree(t, err)
				if len(bin) != len(want) {
					t.Errorf("%d bytes, want %d", len(bin), len(want))
				}
			}
		})
	}
	wg.Wait()
}

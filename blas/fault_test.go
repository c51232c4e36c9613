package blas_test

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/blas"
	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

func TestWhatTheDeviceFailsAtGonumComputesAndOneLineIsLogged(t *testing.T) {
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
	if err != nil {
		t.Skip(err)
	}
	m, err := platform.Discover(t.Context(), &platform.Options{Library: lib, CacheDir: filepath.Join(t.TempDir(), "cache")})
	require.NoError(t, err)
	d, err := m.Select("")
	if errors.Is(err, platform.ErrNoDevice) || errors.Is(err, platform.ErrNone) {
		t.Skip(err)
	}
	require.NoError(t, err)
	dev, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	engine, cpu := ocl.New(dev), fallback.New(nil)
	rt := ops.NewRuntime(engine, cpu)
	defer func() { require.NoError(t, errors.Join(rt.Close(), engine.Close(), cpu.Close(), dev.Close())) }()

	a, x := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	for call, beta := range map[string]float64{"NewBuffer": 3, "set argument": 3, "launch": 3, "finish": 0, "NewKernel": 3, "NewProgram": 3, "NewQueue": 3} {
		var log bytes.Buffer
		b, err := blas.New(rt, &blas.Options{Force: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		product := func() []float64 {
			c := []float64{1, 1, 1, 1}
			b.Dgemm('N', 'N', 2, 2, 2, 1, a, 2, x, 2, beta, c, 2)
			return c
		}
		want := []float64{19 + beta, 22 + beta, 43 + beta, 50 + beta}
		if call != "NewKernel" && call != "NewProgram" && call != "NewQueue" {
			require.Equal(t, want, product(), "without a fault")
		}
		faults.FailFrom(1, cl.OutOfResources, call)
		for range 12 {
			require.Equal(t, want, product(), call)
		}
		if faults.Fired() > 0 { // not every device needs every call
			require.Equal(t, 1, strings.Count(log.String(), "gonum computes instead"), "%s: %s", call, log.String())
			require.Equal(t, 1, strings.Count(log.String(), "not used any more"), "%s: %s", call, log.String())
		}
		faults.Off()
		require.NoError(t, b.Close())
	}
}

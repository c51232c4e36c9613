package cl_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

func TestNothingIsLoadedBeforeOpen(t *testing.T) {
	require.False(t, loadedAtStart)
}

func TestLoadErrorListsEveryAttempt(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.so")
	_, err := cl.Open(&cl.Options{Path: missing})
	require.ErrorIs(t, err, cl.ErrNoLibrary)
	le, ok := errors.AsType[*cl.LoadError](err)
	require.True(t, ok)
	require.Len(t, le.Attempts, 1)
	require.ErrorContains(t, err, missing)
	require.ErrorIs(t, err, le.Attempts[0])
}

func TestLibraryThatIsNotOpenCLIsRefused(t *testing.T) {
	for _, libc := range []string{"libc.so.6", "libm.so.6"} {
		_, err := cl.Open(&cl.Options{Path: libc})
		require.ErrorIs(t, err, cl.ErrNoLibrary)
	}
}

func TestEnvironmentNamesTheOnlyLibraryTried(t *testing.T) {
	t.Setenv(cl.EnvLibrary, "/no/such/library.so")
	_, err := cl.Open(nil)
	le, ok := errors.AsType[*cl.LoadError](err)
	require.True(t, ok)
	require.Len(t, le.Attempts, 1)
	require.ErrorContains(t, err, "/no/such/library.so")

	_, err = cl.Open(&cl.Options{Path: "/another/library.so"})
	require.ErrorContains(t, err, "/another/library.so", "a path in the options beats the environment")
}

// The process-wide library may be open already, so the test runs in another process.
func TestDefaultRetriesAfterAFailureAndIsSharedAfterSuccess(t *testing.T) {
	if os.Getenv("ANYCL_TEST_DEFAULT") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "ANYCL_TEST_DEFAULT=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	t.Setenv(cl.EnvLibrary, "/no/such/library.so")
	_, err := cl.Default()
	require.ErrorIs(t, err, cl.ErrNoLibrary)
	require.NoError(t, os.Unsetenv(cl.EnvLibrary))
	a, err := cl.Default()
	if err != nil {
		t.Skip("no OpenCL library on this machine")
	}
	b, err := cl.Default()
	require.NoError(t, err)
	require.Same(t, a, b)
}

// The loader reads its environment once a process, so this needs another one.
func TestNoPlatformsAreEmptyAndNoError(t *testing.T) {
	if os.Getenv("ANYCL_TEST_NO_PLATFORMS") != "" {
		lib, err := cl.Open(nil)
		require.NoError(t, err)
		ps, err := lib.Platforms()
		require.NoError(t, err)
		require.NotNil(t, ps)
		require.Empty(t, ps)
		return
	}
	if _, err := cl.Open(nil); err != nil {
		t.Skip("no OpenCL library on this machine")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "ANYCL_TEST_NO_PLATFORMS=1", "OCL_ICD_VENDORS="+t.TempDir())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestPlatformWithoutDevicesIsEmptyAndNoError(t *testing.T) {
	for name, st := range map[string]cldriver.Status{"not found": -1, "none and success": 0} {
		t.Run(name, func(t *testing.T) {
			lib := openLibrary(t, &cl.Options{Wrap: func(d cldriver.Driver) cldriver.Driver {
				return cldriver.Intercept(d, func(call string, do func() cldriver.Status) cldriver.Status {
					if call == "Devices" {
						return st
					}
					return do()
				})
			}})
			ps, err := lib.Platforms()
			require.NoError(t, err)
			for _, p := range ps {
				ds, err := p.Devices(cl.DeviceAll)
				require.NoError(t, err)
				require.Empty(t, ds)
			}
		})
	}
}

func TestDebugLogsEachCallWithItsStatus(t *testing.T) {
	var log bytes.Buffer
	lib := openLibrary(t, &cl.Options{
		Debug: true, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	_, err := lib.Platforms()
	require.NoError(t, err)
	require.Contains(t, log.String(), "op=Platforms status=CL_")
	require.Contains(t, log.String(), "library loaded")
}

func TestClosedLibraryRefuses(t *testing.T) {
	lib, err := cl.Open(nil)
	if err != nil {
		t.Skip("no OpenCL library on this machine")
	}
	dev := anyDevice(t, lib)
	require.NoError(t, lib.Close())
	require.NoError(t, lib.Close())
	_, err = lib.Platforms()
	require.ErrorIs(t, err, cl.ErrClosed)
	_, err = lib.NewContext(dev)
	require.ErrorIs(t, err, cl.ErrClosed)
}

func TestContextRefusesNoForeignAndNilDevices(t *testing.T) {
	lib := openLibrary(t, nil)
	dev := anyDevice(t, lib)
	other := openLibrary(t, nil)
	_, err := lib.NewContext()
	require.ErrorIs(t, err, cl.InvalidDevice)
	_, err = lib.NewContext(dev, nil)
	require.ErrorIs(t, err, cl.InvalidDevice)
	_, err = other.NewContext(dev)
	require.ErrorIs(t, err, cl.InvalidDevice)
}

package matrix

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// workerVar makes the test binary a worker, whose driver is as good as it says.
const workerVar = "ANYCL_TEST_MATRIX_WORKER"

func TestMain(m *testing.M) {
	how := os.Getenv(workerVar)
	if how == "" {
		os.Exit(m.Run())
	}
	fmt.Println("a driver that talks")
	if how == "blind" {
		fmt.Fprintln(os.Stderr, "no bus")
		os.Exit(134)
	}
	err := work(context.Background(), os.Stdin, os.Stdout, func() engine.Engine {
		if how == "locked" {
			os.Exit(135)
		}
		return crasher{fallback.New(nil), how}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// crasher ends the process at bytes, and never ends at words of two.
type crasher struct {
	engine.Engine
	how string
}

var prepared atomic.Int64

func (c crasher) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	for _, b := range tasks {
		switch dt := b.Task.Outs[0].DType; {
		case c.how == "crash" && dt == tensor.Int8:
			fmt.Fprintln(os.Stderr, "assertion failed")
			os.Exit(134)
		case c.how == "crash" && dt == tensor.Int16:
			time.Sleep(time.Hour)
		}
	}
	if c.how == "tired" && prepared.Add(1) == 3 {
		os.Exit(136)
	}
	return c.Engine.Prepare(ctx, tasks)
}

func (c crasher) Close() error {
	if c.how == "sticky" {
		os.Exit(137)
	}
	return c.Engine.Close()
}

// contain runs some cells with a driver that is like that.
func contain(t *testing.T, how string, dtypes ...tensor.DType) (*Report, error) {
	t.Helper()
	return Contain(t.Context(), &Options{Devices: []string{"none"}, Ops: []string{"neg", "abs"}, DTypes: dtypes}, func(ctx context.Context) *exec.Cmd {
		c := exec.CommandContext(ctx, os.Args[0])
		c.Env = append(os.Environ(), workerVar+"="+how)
		return c
	}, 3*time.Second)
}

func TestACrashOrAHangFailsInItsCellAlone(t *testing.T) {
	t.Parallel()
	r, err := contain(t, "crash", tensor.Int8, tensor.Int16, tensor.Int32)
	require.NoError(t, err)
	require.Len(t, r.Engines, 1)
	e := r.Engines[0]
	require.Empty(t, e.Err)
	require.Len(t, e.Parts, 6)
	for _, p := range e.Parts {
		switch p.DType {
		case "int8":
			require.Equal(t, optest.Failed, p.State())
			require.Contains(t, p.Why, "exit status 134")
			require.Contains(t, p.Why, "assertion failed")
		case "int16":
			require.Equal(t, optest.Failed, p.State())
			require.Contains(t, p.Why, "did not end in 3s")
		default:
			require.Equal(t, optest.Passed, p.State(), p.Why)
		}
	}
	require.True(t, r.Failed())
}

func TestAGoodDriverIsReportedOfAsInOneProcess(t *testing.T) {
	t.Parallel()
	r, err := contain(t, "good", tensor.Int8, tensor.Float32)
	require.NoError(t, err)
	one, err := Run(t.Context(), &Options{Devices: []string{"none"}, Ops: []string{"neg", "abs"}, DTypes: []tensor.DType{tensor.Int8, tensor.Float32}})
	require.NoError(t, err)
	require.Equal(t, one.Context.Ops, r.Context.Ops)
	require.Len(t, r.Engines[0].Parts, len(one.Engines[0].Parts))
	for i, p := range one.Engines[0].Parts {
		q := r.Engines[0].Parts[i]
		q.Took = p.Took
		require.Equal(t, p, q)
	}
	require.False(t, r.Failed())
}

func TestACrashOutsideOfCellsIsNotForgotten(t *testing.T) {
	t.Parallel()
	_, err := contain(t, "blind", tensor.Int8)
	require.ErrorContains(t, err, "looking for devices")
	require.ErrorContains(t, err, "no bus")

	r, err := contain(t, "locked", tensor.Int8)
	require.NoError(t, err)
	require.Contains(t, r.Engines[0].Err, "opening")
	require.Empty(t, r.Engines[0].Parts)

	r, err = contain(t, "sticky", tensor.Int8)
	require.NoError(t, err)
	require.Contains(t, r.Engines[0].Err, "closing")
	require.Len(t, r.Engines[0].Parts, 2)

	r, err = contain(t, "tired", tensor.Int8, tensor.Int16, tensor.Int32)
	require.NoError(t, err)
	require.Contains(t, r.Engines[0].Err, "which pass by themselves")
	require.Len(t, r.Engines[0].Parts, 6)
	require.Zero(t, r.Engines[0].Total().Failed)
	require.True(t, r.Failed())
}

package randomgraphs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
)

// workerVar makes the test program a process of RunApart: a sound one, one that is wrong, or one that dies.
const workerVar = "ANYCL_TEST_GRAPHS_WORKER"

func TestMain(m *testing.M) {
	how := os.Getenv(workerVar)
	if how == "" {
		os.Exit(m.Run())
	}
	err := work(context.Background(), os.Stdin, os.Stdout, func(o *Options) {
		switch {
		case how == "wrong":
			o.wrap, o.shrinks = func(e engine.Engine) engine.Engine { return stuck{e} }, 1
		case how == "dies" && o.Seed > 3:
			fmt.Fprintln(os.Stderr, "no bus")
			os.Exit(134)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// inProcesses is a run in two processes that are as how says.
func inProcesses(ctx context.Context, t *testing.T, how string, o *Options) (*Report, error) {
	self, err := os.Executable()
	require.NoError(t, err)
	o.Device = "cpu"
	return RunApart(ctx, o, 2, func(ctx context.Context) *exec.Cmd {
		c := exec.CommandContext(ctx, self)
		c.Env = append(os.Environ(), workerVar+"="+how)
		return c
	})
}

func TestProcessesReportAsOneRun(t *testing.T) {
	t.Parallel()
	// Not divided ones: which engine has an op that is free to choose depends on what was measured.
	o := Options{Count: 23, Seed: 3, Kinds: []string{Fixed, Open, Gradients}}
	var last Progress
	o.Progress = func(p Progress) {
		require.Equal(t, 23, p.All)
		require.Equal(t, last.Done+1, p.Done)
		last = p
	}
	r, err := inProcesses(t.Context(), t, "wrong", &o)
	require.NoError(t, err)
	require.Equal(t, 23, last.Done)
	require.Equal(t, len(r.Wrong), last.Wrong)
	o.Progress, o.wrap, o.shrinks = nil, func(e engine.Engine) engine.Engine { return stuck{e} }, 1
	whole := run(t, o)
	require.True(t, whole.Failed())
	r.Duration, whole.Duration = 0, 0
	require.Equal(t, whole, r)
}

func TestAProcessThatDiesLeavesTheReportOfTheOthers(t *testing.T) {
	t.Parallel()
	r, err := inProcesses(t.Context(), t, "dies", &Options{Count: 40, Seed: 3})
	require.ErrorContains(t, err, "a process ended without a report: exit status 134\nno bus")
	require.Equal(t, 20, r.Checked)

	r, err = inProcesses(t.Context(), t, "dies", &Options{Count: 40, Seed: 4})
	require.Error(t, err)
	require.Nil(t, r)
}

func TestARunThatIsStoppedReportsWhatWasChecked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	r, err := inProcesses(ctx, t, "sound", &Options{Count: 1 << 20, Progress: func(p Progress) {
		seen = p.Done
		if seen == 5 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, seen, r.Checked)
	require.GreaterOrEqual(t, seen, 5)
	require.Less(t, seen, 100)
}

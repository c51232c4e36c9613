package pprof_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/pprof"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m)) }

func TestAProfileNamesKernelTaskAndLine(t *testing.T) {
	for _, device := range []string{"none", ""} { // the CPU engine, and the best device
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		place := ops.OnCPU
		if rt.Device() != nil {
			place = ops.OnDevice
		}
		g := ops.NewGraph("profiled")
		x := g.Input("x", tensor.Float32, 8, 16)
		y := ops.Softmax(ops.MatMul(x, ops.Transpose(x)), 1)
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}, Place: place})
		require.NoError(t, err)
		defer exe.Close()
		p, err := exe.Profile(t.Context(), ops.Feeds{x: tensor.Must(tensor.New(tensor.Float32, 8, 16))}, ops.ProfileOptions{Runs: 1})
		require.NoError(t, err)

		var b bytes.Buffer
		require.NoError(t, pprof.Write(&b, p))
		out, err := profile.Parse(&b)
		require.NoError(t, err)
		require.NoError(t, out.CheckValid())
		launches := int64(0)
		for _, s := range out.Sample {
			require.Len(t, s.Location, 4)
			launches += s.Value[0]
			task := s.Location[1].Line[0]
			require.True(t, strings.HasSuffix(task.Function.Filename, "pprof_test.go"), task.Function.Filename)
			require.Positive(t, task.Line)
			require.Equal(t, "profiled", s.Location[3].Line[0].Function.Name)
		}
		n := 0
		for _, task := range p.Tasks {
			n += task.Launches
		}
		require.Positive(t, n)
		require.EqualValues(t, n, launches)
	}
}

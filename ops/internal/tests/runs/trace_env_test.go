package runs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestAProgramIsTracedByItsEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	t.Setenv(EnvTrace, path)
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	g := NewGraph("traced")
	x := g.Input("x", tensor.Float32, 3)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Exp(x)}})
	require.NoError(t, err)
	feeds := Feeds{x: tensor.Must(tensor.New(tensor.Float32, 3))}
	const runs = 40
	for range runs {
		_, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
	}
	require.NoError(t, rt.Close())

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct {
		Events []struct {
			Name string  `json:"name"`
			Ts   float64 `json:"ts"`
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	count := map[string]int{}
	for _, e := range file.Events {
		count[e.Name]++
		require.GreaterOrEqual(t, e.Ts, 0.0)
	}
	require.Equal(t, 1, count["compile"])
	require.Equal(t, 33, count["the whole run"], "the first 32, and the 33rd, whose number from 0 is a power of two")

	t.Setenv(EnvTrace, filepath.Join(t.TempDir(), "no such folder", "trace.json"))
	_, err = Open(t.Context(), &Options{Device: "none"})
	require.ErrorContains(t, err, EnvTrace)
}

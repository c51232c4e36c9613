package opstest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
)

// TasksOf compiles for the CPU path and returns the tasks as "kind name".
func TasksOf(t *testing.T, g *ops.Graph, target ops.Target) []string {
	t.Helper()
	exe, err := g.Compile(t.Context(), CPUOnly(t), target)
	require.NoError(t, err)
	var out []string
	for _, u := range inside.Executor(exe).Program().Instructions {
		out = append(out, fmt.Sprint(u.Task.Kind, " ", u.Task.Name))
	}
	return out
}

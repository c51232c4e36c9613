package offline

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops/optest"
)

func TestExcusesHaveReasonsAndLimits(t *testing.T) {
	for _, x := range excuses {
		_, err := path.Match(x.target, "x")
		require.NoError(t, err)
		_, err = path.Match(x.kernel, "x")
		require.NoError(t, err)
		require.NotEmpty(t, x.why)
		require.True(t, x.refuse || x.spill > 0, "%v excuses nothing", x)
		within := &Report{Target: strings.ReplaceAll(x.target, "*", "99"), Outcomes: []*Outcome{
			{File: x.kernel + ".cl", Chosen: true, Kernels: map[string]Usage{x.kernel: {Spill: x.spill}}},
		}}
		c := within.Checks()[0]
		require.Equal(t, optest.Passed, c.State)
		beyond := within.Outcomes[0].Kernels
		beyond[x.kernel] = Usage{Spill: x.spill + 1}
		require.Equal(t, optest.Failed, within.Checks()[0].State)
	}
}

func TestThePageShowsEveryKernelOnEveryTarget(t *testing.T) {
	reports := []*Report{
		{Target: "a", Compiler: "A 1", Outcomes: []*Outcome{
			{File: "map.cl", Chosen: true, Kernels: map[string]Usage{"map_item": {Registers: 9}}},
			{File: "map.cl", Chosen: true, Kernels: map[string]Usage{"map_item": {Registers: 20, Spill: 4}}},
			{File: "row_block.cl", Kernels: map[string]Usage{"row_block": {Registers: 9, Spill: 100}}},
		}},
		{Target: "b", Compiler: "B 2", Outcomes: []*Outcome{
			{File: "scan_row.cl", Chosen: true, Kernels: map[string]Usage{"scan_row": {}}},
			{File: "map.cl", Chosen: true, Refused: "no"},
		}},
	}
	var b strings.Builder
	require.NoError(t, WritePage(&b, reports))
	for _, line := range []string{
		"| a | A 1 | 2 | 0 | 1 |", "| b | B 2 | 2 | 1 | 0 |", "| kernel | a | b |",
		"| map_item | 9, 20, 20 (1: 4) | - |", "| scan_row | - | compiles |", "| map | - | 1 refused |",
	} {
		require.Contains(t, b.String(), line+"\n")
	}
	require.NotContains(t, b.String(), "row_block", "no rule chooses it")
}

package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageShowsEveryKernelOnEveryTarget(t *testing.T) {
	excusing(t, excuse{name: "wide", targets: []string{"amd-a"}, kernel: "map_item", spill: 8, why: "because"})
	reports := []*Report{
		{Target: "amd-a", Compiler: "A 1", Whole: true, Lacks: map[string]Lack{"dot.cl": {Programs: 3}}, Outcomes: []*Outcome{
			{File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: true, Kernels: map[string]Usage{"map_item": {Registers: 9}}},
			{File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: true, Excused: "wide", Kernels: map[string]Usage{"map_item": {Registers: 20, Spill: 4, Local: 2048}}},
			{File: "row/cpu_block.cl", Variants: []string{"row=block"}, Kernels: map[string]Usage{"row_block": {Registers: 9, Spill: 100}}},
		}},
		{Target: "intel-b", Compiler: "B 2", Outcomes: []*Outcome{
			{File: "scan/cpu_row.cl", Variants: []string{"scan=row"}, Chosen: true, Kernels: map[string]Usage{"scan_row": {}}},
			{File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: true, Refused: "no"},
		}},
	}
	var b strings.Builder
	require.NoError(t, WritePage(&b, reports))
	for _, line := range []string{
		"| amd-a, all | A 1 | 2 | 1 | 0 | 1 | 1 |", "| intel-b | B 2 | 2 | 0 | 1 | 0 | 0 |",
		"| kernels of | amd-a | intel-b |", "| map | **20** | **1 refused** |", "| scan | - | ok |",
		"| kernel | amd-a |", "| map_item | 9-20, 2 KiB (1: 4) |", "| kernel | intel-b |", "| scan_row | ok |", "| map/gpu_item | 1 refused |",
		"- wide, `map_item`, at most 8: because. Programs: 1 on amd-a",
		"- amd-a: `dot.cl`, so that 3 programs were not compiled; one of them was tried, and is refused",
	} {
		require.Contains(t, b.String(), line+"\n")
	}
	require.NotContains(t, b.String(), "row_block", "no rule chooses it")
}

package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops/optest"
)

func TestAFamilyNeedsWhatItsKernelsNeed(t *testing.T) {
	check := func(n Needs) Check { return Check{Needs: &n} }
	targets := []*Target{
		{Name: "driver"},
		{Name: "a", Steps: []Step{{Checks: []Check{
			check(Needs{Family: "scan", Kernel: "scan_row", Programs: 1, Registers: [2]int{4, 4}}),
			check(Needs{Family: "map", Kernel: "map_tile", Programs: 2, Registers: [2]int{10, 12}, Local: 64}),
			check(Needs{Family: "map", Kernel: "map_item", Programs: 3, Registers: [2]int{5, 30}, Spilling: 2, Excused: 2, Spill: 8}),
			check(Needs{Family: "map", Kernel: "map_item", Programs: 9, Forced: true, Spilling: 2}),
		}}}},
		{Name: "b", Steps: []Step{{}, {Checks: []Check{check(Needs{Family: "row", Kernel: "row_group", Programs: 1, Refused: 1})}}}},
	}
	tab := tableOfNeeds(targets, false)
	require.Equal(t, targets[1:], tab.Targets)
	var names []string
	for _, r := range tab.Rows {
		names = append(names, r.Name)
		require.Len(t, r.Cells, 2, r.Name)
		for _, k := range r.Kernels {
			require.Len(t, k.Cells, 2, k.Name)
		}
	}
	require.Equal(t, []string{"map", "row", "scan"}, names)
	maps := tab.Rows[0].Cells[0]
	require.Equal(t, Needs{Family: "map", Kernel: "map_tile", Programs: 5, Registers: [2]int{5, 30}, Local: 64, Spilling: 2, Excused: 2, Spill: 8}, *maps)
	require.Equal(t, tile{optest.Absent, "30*"}, maps.Tile())
	require.Nil(t, tab.Rows[0].Cells[1])
	require.Equal(t, tile{}, tab.Rows[0].Cells[1].Tile())
	require.Equal(t, tile{optest.Failed, "✗ 1"}, tab.Rows[1].Cells[1].Tile())
	maps.Excused = 1
	require.Equal(t, tile{optest.Failed, "spills 8"}, maps.Tile())

	forced := tableOfNeeds(targets, true)
	require.Len(t, forced.Rows, 1)
	require.Equal(t, tile{optest.Passed, "ok"}, forced.Rows[0].Cells[0].Tile())
}

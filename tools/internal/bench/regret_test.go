package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegretIsTheTimeOverTheBetterSide(t *testing.T) {
	t.Parallel()
	record := func(name string, device, cpu, predicted float64) Record {
		return Record{
			Work: name, Ours: true, Predicted: predicted, Stats: Stats{Median: 1},
			Ratios: map[string]Ratio{NameDevice: {device, device, device}, NameCPU: {cpu, cpu, cpu}},
		}
	}
	divided := record("b", 2, 4, 0.5)
	divided.Placed = "3 cpu, 2 pocl:0"
	s := Regrets([]Record{record("a", 0.5, 2, 1.2), divided, {Work: "a", Contender: NameCPU}})
	require.Equal(t, 2, s.Cases)
	require.InDelta(t, 1, s.Mean, 1e-9, "twice as long once, half as long once")
	require.InDelta(t, 2, s.Worst, 1e-9)
	require.Equal(t, "a", s.WorstAt)
	require.Equal(t, []string{"b"}, s.Better)
	require.Equal(t, 1, s.Predicted.Within)
	require.InDelta(t, 0.35, s.Predicted.Median, 1e-9)
	require.Zero(t, s.Foretold.Works)
	require.Contains(t, s.String(), "2 works")
	require.Contains(t, Regrets(nil).String(), "no work")
}

// Not in parallel: it draws large operands, and other tests make large matrices.
func TestTheSweepHasManyWorksOfDifferentNames(t *testing.T) {
	names := map[string]bool{}
	for _, w := range PlacementWorks() {
		require.False(t, names[w.Name], w.Name)
		names[w.Name] = true
		_, err := w.Program.Draw(1)
		require.NoError(t, err, w.Name)
	}
	require.GreaterOrEqual(t, len(names), 60)
}

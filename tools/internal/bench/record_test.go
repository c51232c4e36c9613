package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func sample(work string, turns ...float64) Record {
	return Record{
		Work: work, Contender: "a", Ours: true, Rate: GFLOPS, Stats: Stats{Turns: turns, Median: Quantile(0.5, turns)},
		Context: NewContext(nil, Method{Turns: len(turns)}),
	}
}

func TestARecordComesBackFromItsLine(t *testing.T) {
	t.Parallel()
	want := sample("w/1", 1, 2, 3)
	var b bytes.Buffer
	require.NoError(t, want.Write(&b))
	require.Equal(t, 1, strings.Count(b.String(), "\n"))
	got, err := Read(&b, "x")
	require.NoError(t, err)
	require.Equal(t, []Record{want}, got)
}

func TestTheContextIsWhole(t *testing.T) {
	t.Parallel()
	c := NewContext(nil, Method{})
	require.NotEmpty(t, c.Commit)
	require.NotEmpty(t, c.Go)
	require.NotEmpty(t, c.OS)
	require.Positive(t, c.Cores)
	require.Equal(t, 7, c.Method.Turns)
	require.WithinDuration(t, time.Now(), c.Time, time.Minute)
}

func TestWhatIsNoRecordIsAnErrorWithItsLine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{\"work\":\"w\",\"contender\":\"a\"}\n{", "\n{}"} {
		_, err := Read(strings.NewReader(text), "x.jsonl")
		require.ErrorContains(t, err, "x.jsonl:2")
	}
}

func TestCompareTellsFasterFromNoise(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := []Record{sample("fast", 2, 2.1, 2.2), sample("same", 1, 1.2, 1.4), sample("slow", 1, 1.1, 1.2), sample("gone", 1)}
	b := []Record{sample("fast", 1, 1.1, 1.2), sample("same", 1.1, 1.2, 1.3), sample("slow", 3, 3.1, 3.2), sample("new", 1)}
	require.NoError(t, Compare(&out, a, b))
	require.Contains(t, out.String(), "1 faster, 1 slower, 1 the same within noise")
	require.NotContains(t, out.String(), "gone")
	require.Error(t, Compare(&out, a, b[3:]))
}

func TestSelectTakesAnExpression(t *testing.T) {
	t.Parallel()
	works, err := Select(Works(), "^sgemm/(256|512)$")
	require.NoError(t, err)
	require.Len(t, works, 2)
	_, err = Select(Works(), "(")
	require.Error(t, err)
}

func TestAProductKnowsHowItsFactorsLie(t *testing.T) {
	t.Parallel()
	works, err := Select(Works(), "^(sgemm/512-tn|batched/64x64x64x64|dense/128x784x512)$")
	require.NoError(t, err)
	p, ok := works[0].Program.Product()
	require.True(t, ok)
	require.True(t, p.TA && !p.TB)
	p, ok = works[1].Program.Product()
	require.True(t, ok)
	require.Equal(t, 64, p.Batch)
	_, ok = works[2].Program.Product()
	require.False(t, ok, "a bias follows")
}

// The same seed draws the same works, which keep to the limits.
func TestWorksThatAreDrawn(t *testing.T) {
	works, again := Drawn(3, 200), Drawn(3, 200)
	for i, w := range works {
		require.Equal(t, w.Name, again[i].Name)
		require.NotEmpty(t, w.Goals)
		if w.Rate == GFLOPS {
			require.GreaterOrEqual(t, w.Flops, float64(drawnFewFlops), w.Name)
			require.LessOrEqual(t, w.Flops, float64(drawnFlops), w.Name)
		} else {
			require.GreaterOrEqual(t, w.Bytes, 4*float64(drawnFewElements), w.Name)
		}
	}
	require.NotEqual(t, works[0].Name+works[1].Name, Drawn(4, 2)[0].Name+Drawn(4, 2)[1].Name)
}

func TestGraphsThatAreDrawnToBePlaced(t *testing.T) {
	works, again := DrawnPlacement(3, 200), DrawnPlacement(3, 200)
	require.Len(t, works, 200)
	kinds := map[string]int{}
	for i, w := range works {
		require.Equal(t, w.Name, again[i].Name)
		require.NotEmpty(t, w.Program.Outputs, w.Name)
		kind, _, ok := strings.Cut(strings.TrimPrefix(w.Name, "drawn-place-"), "/")
		require.True(t, ok, w.Name)
		kinds[kind]++
	}
	require.Greater(t, len(kinds), 20, kinds)
	require.NotEqual(t, works[0].Name+works[1].Name, DrawnPlacement(4, 2)[0].Name+DrawnPlacement(4, 2)[1].Name)
}

// On a GPU no work is measured against libraries that run on the processor.
func TestGoalsOnAGPUAreBesideTheVendorsLibraries(t *testing.T) {
	for _, w := range Works() {
		for _, g := range w.goals(true) {
			require.NotContains(t, g.Against, OpenBLAS, w.Name)
			require.NotContains(t, g.Against, ONNXRuntime, w.Name)
		}
		require.NotEmpty(t, w.goals(true), w.Name)
		require.Equal(t, w.Goals, w.goals(false))
	}
}

// Works count the bytes that a product moves without making its matrix.
func TestMatricesHaveTheNonzerosThatAreCounted(t *testing.T) {
	t.Parallel()
	for _, m := range []int{1, 2, 7} {
		require.Len(t, laplacian[float32](m).Col, nonzerosOfLaplacian(m))
		require.Len(t, cube[float64](m).Col, nonzerosOfCube(m))
	}
}

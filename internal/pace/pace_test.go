package pace

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var matmul, other = Key{"gpu", "contract", "float32", "matmul"}, Key{"gpu", "map", "float32", "exp"}

// learn has one part measured by itself.
func learn(x *Table, k Key, predicted, took time.Duration, keep bool) {
	x.LearnSum([]Part{{k, predicted, 1}}, took, keep)
}

func TestWhatIsMeasuredCorrectsWhatIsLikeIt(t *testing.T) {
	t.Parallel()
	var x Table
	expected, before := x.Correct(matmul, 1000)
	require.EqualValues(t, 1000, expected)
	require.Greater(t, before, 0.3)
	for range 15 {
		learn(&x, matmul, 1000, 3000, true)
	}
	expected, after := x.Correct(matmul, 1000)
	require.InEpsilon(t, 3000, float64(expected), 0.1)
	require.Less(t, after, before/2)
	near, _ := x.Correct(matmul, 4000)
	require.Greater(t, near, time.Duration(6000), "the next order of magnitude")
	far, off := x.Correct(matmul, 1<<40)
	require.InEpsilon(t, 1<<40, float64(far), 0.01)
	require.Greater(t, off, after)
	same, _ := x.Correct(other, 1000)
	require.EqualValues(t, 1000, same)
	for _, k := range []Key{{"gpu", "contract", "float32", "conv2d"}, {"gpu", "contract", "float64", "matmul"}} {
		alike, _ := x.Correct(k, 1000)
		require.Greater(t, alike, time.Duration(2000), "what is known of its kind")
	}
	for range 5 {
		learn(&x, Key{"gpu", "contract", "float32", "conv2d"}, 1000, 500, true)
	}
	alike, _ := x.Correct(Key{"gpu", "contract", "float32", "conv2d"}, 1000)
	require.Less(t, alike, time.Duration(1000), "what is known of itself weighs more")
	again, _ := x.Correct(matmul, 1000)
	require.InEpsilon(t, 3000, float64(again), 0.1)
}

func TestWhatChangesIsLearnedAnew(t *testing.T) {
	t.Parallel()
	var x Table
	for range 50 {
		learn(&x, matmul, 1000, 1000, true)
	}
	for range 30 {
		learn(&x, matmul, 1000, 8000, true)
	}
	expected, _ := x.Correct(matmul, 1000)
	require.InEpsilon(t, 8000, float64(expected), 0.15)
	learn(&x, matmul, 0, 5, true)
	learn(&x, matmul, 5, 0, true)
	for range 100 { // a mistake is bounded
		learn(&x, other, 1, time.Hour, true)
	}
	expected, _ = x.Correct(other, 1)
	require.LessOrEqual(t, expected, time.Duration(limit))
}

func TestATableOutlivesItsFile(t *testing.T) {
	t.Parallel()
	var x, y Table
	require.False(t, x.Dirty())
	learn(&x, matmul, 1000, 3000, true)
	learn(&x, other, 50, 30, true)
	require.True(t, x.Dirty())
	var file Table
	learn(&file, other, 50, 30, true)
	x.Merge(&file)
	require.False(t, x.Dirty())
	x = Table{known: file.known}
	data, err := json.Marshal(&x)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &y))
	require.False(t, y.Dirty())
	for _, k := range []Key{matmul, other} {
		a, offA := x.Correct(k, 700)
		b, offB := y.Correct(k, 700)
		require.Equal(t, a, b)
		require.InDelta(t, offA, offB, 1e-12)
	}
	for _, bad := range []string{`{`, `[{"bucket":99,"weight":1}]`, `[{"bucket":1,"weight":1,"log":1e9}]`, `[{"bucket":1,"weight":-1}]`} {
		require.Error(t, y.UnmarshalJSON([]byte(bad)))
	}
	a, _ := y.Correct(matmul, 1000)
	require.Greater(t, a, time.Duration(1500), "as it was")
}

func TestProcessesLearnBesideEachOther(t *testing.T) {
	t.Parallel()
	var file, a, b Table
	learn(&a, matmul, 1000, 3000, true)
	learn(&a, matmul, 1000, 3000, false)
	learn(&b, other, 1000, 500, true)
	a.Merge(&file)
	b.Merge(&file)
	for _, k := range []Key{matmul, other} {
		expected, _ := file.Correct(k, 1000)
		require.NotEqualValues(t, 1000, expected)
	}
	alone, _ := a.Correct(matmul, 1000)
	kept, _ := file.Correct(matmul, 1000)
	require.Less(t, kept, alone, "what is not to be kept is not")
	a.Forget()
	expected, _ := a.Correct(matmul, 1000)
	require.EqualValues(t, 1000, expected)
}

func TestTheClockFollowsTheMedian(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var c Clock
	c.Note(time.Hour) // cold
	c.Note(time.Hour)
	draw := func(n int, middle float64) {
		for range n {
			took := time.Duration(middle * (0.9 + 0.2*r.Float64()))
			if r.IntN(10) == 0 {
				took *= 100
			}
			c.Note(took)
		}
	}
	draw(200, 1e5)
	m, runs := c.Median()
	require.InEpsilon(t, 1e5, float64(m), 0.15)
	require.EqualValues(t, 202, runs)
	draw(200, 3e5)
	m, _ = c.Median()
	require.InEpsilon(t, 3e5, float64(m), 0.15)
}

func TestClockAndTableAreForMany(t *testing.T) {
	t.Parallel()
	var c Clock
	var x Table
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 500 {
				c.Note(time.Duration(i))
				learn(&x, matmul, 100, 200, true)
				x.Correct(matmul, 100)
			}
		})
	}
	all.Wait()
	_, runs := c.Median()
	require.EqualValues(t, 2000, runs)
}

func FuzzATableReadsNoNonsense(f *testing.F) {
	f.Add([]byte(`[{"engine":"a","kind":"b","bucket":3,"log":0.5,"spread":0.1,"weight":2}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var x Table
		if json.Unmarshal(data, &x) == nil {
			expected, off := x.Correct(Key{"a", "b", "", ""}, 1000)
			require.Positive(t, expected)
			require.False(t, off != off || off < 0)
		}
	})
}

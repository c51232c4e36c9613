package fallback

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// keptRates is a file of rates in memory.
type keptRates struct {
	data  []byte
	saves int
	err   error
}

func (k *keptRates) Load(v any) bool { return json.Unmarshal(k.data, v) == nil }

func (k *keptRates) Save(v any) (err error) {
	k.saves++
	if k.err != nil {
		return k.err
	}
	k.data, err = json.Marshal(v)
	return err
}

// Not parallel: it has this process measure again.
func TestRatesAreTheBestOfThreeProcesses(t *testing.T) {
	e := New(nil)
	defer e.Close()
	process := func(k Kept) (rates, error) {
		found.once = sync.Once{}
		err := e.Measure(k)
		return measured(), err
	}
	defer process(nil)
	k := &keptRates{}
	first, err := process(k)
	require.NoError(t, err)
	require.True(t, first.valid(), "%+v", first)
	require.Equal(t, 1, first.Tries)

	fast := first // as it was in a quiet moment
	fast.Scalar *= 100
	k.data, err = json.Marshal(fast)
	require.NoError(t, err)
	second, err := process(k)
	require.NoError(t, err)
	require.Equal(t, 2, second.Tries)
	require.Equal(t, fast.Scalar, second.Scalar)
	require.GreaterOrEqual(t, second.MulAdds, first.MulAdds)
	third, err := process(k)
	require.NoError(t, err)
	require.Equal(t, 3, k.saves)
	fourth, err := process(k)
	require.NoError(t, err)
	require.Equal(t, third, fourth)
	require.Equal(t, 3, k.saves, "the fourth measures nothing")

	for _, bad := range []string{``, `{`, `null`, `{"tries":9}`, `{"copy":1e300,"far_copy":1e9,"mul_adds":1e9,"scalar":1e9,"tries":3}`,
		`{"copy":-1,"far_copy":1e9,"mul_adds":1e9,"scalar":1e9,"tries":3}`} {
		k.data = []byte(bad)
		r, err := process(k)
		require.NoError(t, err)
		require.True(t, r.valid(), bad)
		require.Equal(t, 1, r.Tries, bad)
	}
	k.data, k.err = nil, errors.New("the disk is full")
	r, err := process(k)
	require.ErrorIs(t, err, k.err)
	require.True(t, r.valid(), "predictions have rates then too")
}

package matrix

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// ran is a report of an engine's results.
func ran(t *testing.T, ops []string, cpu func() engine.Engine) *Report {
	t.Helper()
	r, err := Run(t.Context(), &Options{Devices: []string{"none"}, Ops: ops, DTypes: []tensor.DType{tensor.Float32, tensor.Int8}, cpu: cpu})
	require.NoError(t, err)
	return r
}

func TestTheSameBitsAreFoundAgainAndOthersAreTold(t *testing.T) {
	t.Parallel()
	all := []string{"exp", "matmul"}
	before := ran(t, all, nil)
	for _, p := range before.Engines[0].Parts {
		require.Len(t, p.Bits, 16, "%+v", p)
	}
	c := ran(t, all, nil).Against(before)
	require.Equal(t, Comparison{Same: 5}, c)
	require.True(t, c.OK())

	c = ran(t, all, func() engine.Engine { return liar{fallback.New(nil)} }).Against(before)
	require.False(t, c.OK())
	require.NotEmpty(t, c.Different)
	require.Contains(t, strings.Join(c.Different, "\n"), "cpu: matmul in int8: bits ")

	c = ran(t, []string{"exp", "neg"}, nil).Against(before)
	require.True(t, c.OK())
	require.Equal(t, 2, c.Same)
	require.Equal(t, []string{
		"cpu: neg in int8: not in the report before", "cpu: neg in float32: not in the report before", "cpu: gradient of neg: not in the report before",
		"cpu: matmul in int8: only in the report before", "cpu: matmul in float32: only in the report before", "cpu: gradient of matmul: only in the report before",
	}, c.Absent)
	var text strings.Builder
	require.NoError(t, c.WriteText(&text))
	require.Contains(t, text.String(), "2 parts have the same bits as before, 0 have others, 6 cannot be compared")
	require.False(t, Comparison{}.OK(), "nothing was compared")
}

func TestOneBitAndOneUlpMakeADifference(t *testing.T) {
	part := func(bits string, ulp float64) *Report {
		return &Report{Engines: []*Engine{{Name: "a", Parts: []Part{{Op: "exp", DType: "float32", Bits: bits, ULP: ulp, Tally: Tally{Passed: 1}}}}}}
	}
	require.True(t, part("1", 0.5).Against(part("1", 0.5)).OK())
	require.Len(t, part("1", 0.5).Against(part("2", 0.5)).Different, 1)
	require.Len(t, part("1", 0.5).Against(part("1", 0.25)).Different, 1)
	require.Len(t, part("", 0).Against(part("1", 0)).Absent, 1)
	require.Len(t, part("1", 0).Against(part("", 0)).Absent, 1)
	failed := part("", 0)
	failed.Engines[0].Parts[0].Tally = Tally{Failed: 1}
	require.Equal(t, []string{"a: exp in float32: failed, before passed"}, failed.Against(part("", 0)).Different)
}

package kernels_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/kernels"
)

func TestSpacesAreInOrderAndDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range kernels.Spaces() {
		require.False(t, seen[s.Family+s.Variant], "%s %s twice", s.Family, s.Variant)
		seen[s.Family+s.Variant] = true
		require.Same(t, &s.Params[0], &kernels.SpaceOf(s.Family, s.Variant).Params[0])
		for _, p := range s.Params {
			require.NotEmpty(t, p.Doc)
			require.True(t, slices.IsSorted(p.Values), "%s of %s %s", p.Name, s.Family, s.Variant)
			require.GreaterOrEqual(t, p.Values[0], int64(0))
		}
	}
	require.Nil(t, kernels.SpaceOf("contract", "no such"))
}

func TestCompleteTakesTheRuleForWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	s := kernels.SpaceOf("contract", "panel")
	rule := kernels.Params{"rows": 8, "vectors": 2, "pack_a": 0, "pack_b": 1, "splits": 37}
	l := kernels.Limits{WorkGroup: 1, Lanes: 16, Size: 4}
	all, err := s.Complete(kernels.Params{"rows": 12}, rule, l)
	require.NoError(t, err)
	require.Equal(t, kernels.Params{"rows": 12, "vectors": 2, "pack_a": 0, "pack_b": 1, "splits": 37}, all)
	require.Equal(t, int64(8), rule["rows"], "the rule's own values stay")
	_, err = s.Complete(kernels.Params{"splits": 38}, rule, l)
	require.ErrorContains(t, err, "splits is one of")
	_, err = s.Complete(kernels.Params{"rows": 12, "vectors": 4}, rule, l)
	require.ErrorContains(t, err, "does not fit")
	_, err = s.Complete(kernels.Params{"columns": 4}, rule, l)
	require.ErrorContains(t, err, `no parameter "columns"`)
}

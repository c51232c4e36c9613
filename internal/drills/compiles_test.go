package drills

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
)

// Small graphs are compiled, run and closed in one runtime, of other sizes each time.
func TestCompiles(t *testing.T) {
	r := sound(t)
	rt := r.open(t)
	n := often(500, 10_000)
	life := func(i int) {
		s := newStudent(4+i%7, 3+i%5)
		exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.OnDevice))
		require.NoError(t, err)
		require.NoError(t, s.step(t.Context(), exe, i))
		require.NoError(t, exe.Close())
	}
	for i := range 7 * 5 * 2 {
		life(i)
	}
	before := holds(r.lib)
	for i := range n {
		life(i)
	}
	after := holds(r.lib)
	requireNoGrowth(t, before, after)
	figure(t, "%d graphs: %s", n, grown(before, after))
	require.NoError(t, rt.Close())
}

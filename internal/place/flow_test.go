package place

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutCost is the total cost of the network's cut for the given side of each node.
func cutCost(excess, left []int64, edges []edge, sink []bool) int64 {
	var sum int64
	for v, there := range sink {
		if there {
			sum += excess[v]
		} else {
			sum += left[v]
		}
	}
	for e := range edges {
		if a, b := edges[e^1].to, edges[e].to; !sink[a] && sink[b] {
			sum += edges[e].cap
		}
	}
	return sum
}

func TestTheFlowFindsTheSmallestCut(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 3000 {
		nodes := 1 + r.IntN(9)
		n := newNetwork(nodes, 0)
		for v := range nodes {
			n.cost(v, int64(r.IntN(20)), int64(r.IntN(20)))
		}
		for range r.IntN(3 * nodes) {
			n.edge(r.IntN(nodes), r.IntN(nodes), int64(r.IntN(12)), int64(r.IntN(12)))
		}
		excess, left := append([]int64(nil), n.excess...), append([]int64(nil), n.left...)
		edges := append([]edge(nil), n.edges...)
		least := int64(1 << 40)
		sink := make([]bool, nodes)
		for bits := range 1 << nodes {
			for v := range sink {
				sink[v] = bits>>v&1 == 1
			}
			least = min(least, cutCost(excess, left, edges, sink))
		}
		require.Equal(t, least, cutCost(excess, left, edges, n.solve()), "network %d", i)
	}
}

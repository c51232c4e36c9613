package place

// network is a graph between a source and a sink, whose minimum cut is found by pushing flow
// (Goldberg and Tarjan, A New Approach to the Maximum-Flow Problem, 1988): first in, first out,
// with heights from a search back from the sink, anew after as many relabels as there are nodes.
// Edges of source and sink are numbers of a node: the cost of its side. Only the cut is wanted, so
// that flow which cannot reach the sink stays where it is.
type network struct {
	excess []int64 // of the source's edge, and the flow pushed to the node
	left   []int64 // of the sink's edge
	edges  []edge  // pairs: an edge and its reverse
	nodes  int

	first  []int32 // of each node, in list
	list   []int32 // edges by node
	at     []int32 // the edge of a node that is tried next
	height []int32
	queue  []int32 // a ring of active nodes
	queued []bool
}

type edge struct {
	to  int32
	cap int64 // that is left
}

// newNetwork has n nodes, and room for more.
func newNetwork(n, more int) *network {
	return &network{excess: make([]int64, n, n+more), left: make([]int64, n, n+more), nodes: n}
}

// node adds a node.
func (n *network) node() int {
	n.excess, n.left = append(n.excess, 0), append(n.left, 0)
	n.nodes++
	return n.nodes - 1
}

// cost makes it cost so much to be on the source's side, and on the sink's. Either may be
// unlimited, once for a node.
func (n *network) cost(v int, source, sink int64) {
	n.excess[v] += sink
	n.left[v] += source
}

// unlimited is a capacity that no cut takes.
const unlimited = 1 << 61

// bound replaces unlimited capacities by a little more than all others together, so that no sum
// overflows. Capacities whose sum would all the same are rounded.
func (n *network) bound() {
	caps := func(f func(c *int64)) {
		for v := range n.nodes {
			f(&n.excess[v])
			f(&n.left[v])
		}
		for e := range n.edges {
			f(&n.edges[e].cap)
		}
	}
	room := int64(unlimited) / int64(n.nodes+2)
	var sum, shift int64
	for {
		sum = 0
		caps(func(c *int64) {
			if *c < unlimited {
				sum = min(sum+*c>>shift, unlimited)
			}
		})
		if sum < room {
			break
		}
		shift++
	}
	caps(func(c *int64) {
		if *c >= unlimited {
			*c = sum + 1
		} else {
			*c >>= shift
		}
	})
}

// edge makes it cost ab that a is on the source's side and b on the sink's, and ba the
// other way round.
func (n *network) edge(a, b int, ab, ba int64) {
	n.edges = append(n.edges, edge{int32(b), ab}, edge{int32(a), ba})
}

// solve returns for each node whether it is on the sink's side of a minimum cut: the one
// with the fewest there.
func (n *network) solve() []bool {
	n.bound()
	n.index()
	for v := range n.nodes { // flow that goes straight through a node
		both := min(n.excess[v], n.left[v])
		n.excess[v] -= both
		n.left[v] -= both
	}
	n.height, n.queued = make([]int32, n.nodes), make([]bool, n.nodes)
	n.queue = make([]int32, 0, n.nodes)
	n.survey()
	for v := range n.nodes {
		n.activate(int32(v))
	}
	relabels := 0
	for head := 0; head < len(n.queue); head++ {
		v := n.queue[head]
		n.queued[v] = false
		if n.height[v] == n.far() {
			continue
		}
		relabels += n.discharge(v)
		if relabels >= n.nodes {
			relabels = 0
			n.survey()
		}
		if head >= n.nodes { // reuses the space of the nodes that are done
			n.queue = n.queue[:copy(n.queue, n.queue[head+1:])]
			head = -1
		}
	}
	n.survey()
	sink := make([]bool, n.nodes)
	for v := range sink {
		sink[v] = n.height[v] < n.far()
	}
	return sink
}

// index sorts the edges by the node that they leave.
func (n *network) index() {
	n.first = make([]int32, n.nodes+1)
	from := func(e int) int32 { return n.edges[e^1].to }
	for e := range n.edges {
		n.first[from(e)+1]++
	}
	for v := range n.nodes {
		n.first[v+1] += n.first[v]
	}
	n.at = append([]int32(nil), n.first[:n.nodes]...)
	n.list = make([]int32, len(n.edges))
	for e := range n.edges {
		v := from(e)
		n.list[n.at[v]] = int32(e)
		n.at[v]++
	}
	copy(n.at, n.first)
}

// far is the height of nodes that cannot reach the sink: more than the longest way has edges.
func (n *network) far() int32 { return int32(n.nodes) + 1 }

// survey sets every height to the number of edges to the sink; to far where there
// is no way.
func (n *network) survey() {
	none := n.far()
	next := make([]int32, 0, n.nodes)
	for v := range n.nodes {
		if n.height[v] = none; n.left[v] > 0 {
			n.height[v] = 1
			next = append(next, int32(v))
		}
	}
	for i := 0; i < len(next); i++ {
		v := next[i]
		for _, e := range n.list[n.first[v]:n.first[v+1]] {
			if w := n.edges[e].to; n.edges[e^1].cap > 0 && n.height[w] == none {
				n.height[w] = n.height[v] + 1
				next = append(next, w)
			}
		}
	}
	copy(n.at, n.first[:n.nodes])
}

func (n *network) activate(v int32) {
	if n.excess[v] > 0 && !n.queued[v] && n.height[v] < n.far() {
		n.queued[v] = true
		n.queue = append(n.queue, v)
	}
}

// discharge pushes the excess of v to the sink and to lower nodes, and raises v until nothing is
// left, or the sink out of reach. It returns how often it was raised.
func (n *network) discharge(v int32) (raised int) {
	if n.height[v] == 1 { // nothing is nearer to the sink
		p := min(n.excess[v], n.left[v])
		n.excess[v] -= p
		n.left[v] -= p
	}
	for n.excess[v] > 0 {
		if n.at[v] == n.first[v+1] {
			raised++
			if !n.raise(v) {
				return raised
			}
			continue
		}
		e := n.list[n.at[v]]
		w := n.edges[e].to
		if n.edges[e].cap == 0 || n.height[v] != n.height[w]+1 {
			n.at[v]++
			continue
		}
		p := min(n.excess[v], n.edges[e].cap)
		n.edges[e].cap -= p
		n.edges[e^1].cap += p
		n.excess[v] -= p
		n.excess[w] += p
		n.activate(w)
	}
	return raised
}

// raise lifts v just above the lowest node that it can push to. It reports whether the
// sink may still be within reach.
func (n *network) raise(v int32) bool {
	low := n.far()
	for _, e := range n.list[n.first[v]:n.first[v+1]] {
		if n.edges[e].cap > 0 {
			low = min(low, n.height[n.edges[e].to])
		}
	}
	n.height[v], n.at[v] = min(low+1, n.far()), n.first[v]
	return n.height[v] < n.far()
}

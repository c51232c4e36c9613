package ir

// Control is the attribute of a branch or a loop. Its regions have nodes of their own, and read
// what is around them through leaves.
type Control struct {
	*ControlInfo
	Loop    bool
	Regions []*Region // both branches, or the body
}

// ControlInfo describes a branch or a loop in every representation of a graph.
type ControlInfo struct {
	Carried int       // how many operands are initial values; a branch has its predicate there
	Trips   int       // of a loop that is counted, else -1
	Limit   int       // of one that is not; 0: none
	Expect  float64   // iterations, as the caller guesses; 0: no idea
	Outs    []Outcome // results, in the order in which they were asked for
	Stats   *FlowStats
}

// Region is a part of a graph that a branch or a loop runs as often as it finds.
type Region struct {
	Params  []*Node // leaves; nil for a value that no iteration changes
	Cond    *Node   // whether there is an iteration; nil where they are counted
	Results []*Node // of a branch, or the values that the next iteration finds
	Writes  []Write
}

// Write puts a value of each iteration into a row of a result.
type Write struct {
	Row, At *Node
	Total   bool // every row is written
}

// Outcome is a result of a branch or a loop: value I of those carried, or of a branch; or write I.
type Outcome struct {
	I     int
	Write bool
}

// LeafAttr is the attribute of a leaf that reads a node of the graph around a region.
type LeafAttr struct{ Outer *Node }

// Rows is how many iterations a loop has room for.
func (c *ControlInfo) Rows() int {
	if c.Trips >= 0 {
		return c.Trips
	}
	return c.Limit
}

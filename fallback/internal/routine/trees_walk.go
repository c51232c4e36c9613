package routine

// treeNode is a node of engine.Trees as it lies in memory.
type treeNode[K int32 | int64] struct {
	key                 K
	feature, left, leaf int32
}

// treeLanes is the number of paths through trees that are followed side by side. A step waits for two loads,
// the second of an address that the first gives; eight ways fill the wait, and
// no step is a jump that could be foretold wrongly.
const treeLanes = 8

// step1 goes from node i to a child; keys begin with the sample's.
func step1[K int32 | int64](nodes []treeNode[K], keys []K, shift uint, i int32) int32 {
	n := &nodes[i]
	return n.left + above(keys[int(n.feature)<<(shift&31)], n.key)
}

// above is 1 where a is above b: in this form it is no jump but a flag that is
// read. Half of the jumps would be foretold wrongly.
func above[K int32 | int64](a, b K) int32 {
	if a > b {
		return 1
	}
	return 0
}

// walk goes down from the nodes of at, at most depth steps each. The keys of
// neighbouring ways are so far apart.
func walk[K int32 | int64](nodes []treeNode[K], keys []K, shift uint, apart int, at *[treeLanes]int32, depth int32) {
	i0, i1, i2, i3, i4, i5, i6, i7 := at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]
	k1, k2, k3 := keys[apart:], keys[2*apart:], keys[3*apart:]
	k4, k5, k6, k7 := keys[4*apart:], keys[5*apart:], keys[6*apart:], keys[7*apart:]
	for ; depth > 0; depth-- {
		j0, j1 := step1(nodes, keys, shift, i0), step1(nodes, k1, shift, i1)
		j2, j3 := step1(nodes, k2, shift, i2), step1(nodes, k3, shift, i3)
		j4, j5 := step1(nodes, k4, shift, i4), step1(nodes, k5, shift, i5)
		j6, j7 := step1(nodes, k6, shift, i6), step1(nodes, k7, shift, i7)
		if (j0^i0)|(j1^i1)|(j2^i2)|(j3^i3)|(j4^i4)|(j5^i5)|(j6^i6)|(j7^i7) == 0 {
			break // all at leaves
		}
		i0, i1, i2, i3, i4, i5, i6, i7 = j0, j1, j2, j3, j4, j5, j6, j7
	}
	*at = [treeLanes]int32{i0, i1, i2, i3, i4, i5, i6, i7}
}

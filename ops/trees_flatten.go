package ops

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// All modes become one kind of step, "left where the key is at most this one",
// so that walking down has no branch but this:
//
//	x < v    the key of v less 1
//	x >= v   x < v with its children changed over
//	x == v   x <= v, and on its left x < v; an x that is not equal is on the right of one or the left of the other
//	NaN      is above every key, or where it shall go left, below

// cut is such a step, or a leaf. Several may lead to the same one.
type cut struct {
	key         int64
	feature     int32 // from the number of features on, NaN goes left
	left, right *cut
	leaf        *TreeNode
}

// flatTrees is an ensemble in the form of engine.Trees.
type flatTrees struct {
	double   bool // keys of float64
	features int
	targets  int
	nodes    []byte
	count    int // nodes
	roots    []int32
	starts   []int32
	to       []int32
	weights  []float64
	steps    float64
}

func flatten(e *TreeEnsemble, dt tensor.DType, features int) (*flatTrees, error) {
	f := &flatTrees{double: dt == tensor.Float64, features: features, targets: max(e.Targets, 1), starts: []int32{0}}
	for t, nodes := range e.Trees {
		if err := checkTree(nodes, features, f.targets); err != nil {
			return nil, fmt.Errorf("tree %d: %w", t, err)
		}
		f.lay(f.cut(nodes, 0))
		if f.count > math.MaxInt32/4 || len(f.to) > math.MaxInt32/4 {
			return nil, errors.New("there are more than 2^29 nodes or weights")
		}
	}
	return f, nil
}

// checkTree reports the mistakes of a tree.
func checkTree(nodes []TreeNode, features, targets int) error {
	if len(nodes) == 0 {
		return errors.New("it has no nodes")
	}
	reached := make([]bool, len(nodes))
	reached[0] = true
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		n := &nodes[i]
		switch {
		case n.Mode > TreeLeaf:
			return fmt.Errorf("node %d has mode %d", i, n.Mode)
		case n.Mode == TreeLeaf:
			for _, w := range n.Weights {
				if w.Target < 0 || w.Target >= targets || math.IsNaN(w.Value) {
					return fmt.Errorf("leaf %d: weight %v for target %d of %d", i, w.Value, w.Target, targets)
				}
			}
			continue
		case n.Feature < 0 || n.Feature >= features:
			return fmt.Errorf("node %d looks at feature %d of %d", i, n.Feature, features)
		case len(n.Weights) > 0:
			return fmt.Errorf("node %d has weights and is no leaf", i)
		}
		for _, c := range []int{n.True, n.False} {
			if c < 0 || c >= len(nodes) {
				return fmt.Errorf("node %d has child %d of %d", i, c, len(nodes))
			}
			if reached[c] {
				return fmt.Errorf("node %d is the root or the child of two", c)
			}
			reached[c] = true
			queue = append(queue, c)
		}
	}
	return nil
}

// cut turns node i of a tree and all below into steps.
func (f *flatTrees) cut(nodes []TreeNode, i int) *cut {
	n := &nodes[i]
	if n.Mode == TreeLeaf {
		return &cut{leaf: n}
	}
	yes, no := f.cut(nodes, n.True), f.cut(nodes, n.False)
	never := func() *cut { return f.at(n, f.lowest(), n.MissingTrue, yes, no) }
	equal := func(v float64, yes, no *cut, missing bool) *cut {
		key := f.atMost(v)
		if key != f.atLeast(v) || v != v { // no x is
			return f.at(n, f.lowest(), missing, yes, no)
		}
		return f.at(n, key, missing, f.at(n, key-1, false, no, yes), no)
	}
	switch {
	case n.Mode == TreeEqual:
		return equal(n.Value, yes, no, n.MissingTrue)
	case n.Mode == TreeNotEqual:
		return equal(n.Value, no, yes, false)
	case n.Mode == TreeMember:
		if len(n.Set) == 0 {
			return never()
		}
		for _, v := range slices.Backward(n.Set) {
			no = equal(v, yes, no, n.MissingTrue)
		}
		return no
	case n.Value != n.Value:
		return never()
	case n.Mode == TreeLessEqual:
		return f.at(n, f.atMost(n.Value), n.MissingTrue, yes, no)
	case n.Mode == TreeLess:
		return f.at(n, f.atLeast(n.Value)-1, n.MissingTrue, yes, no)
	case n.Mode == TreeGreaterEqual:
		return f.at(n, f.atLeast(n.Value)-1, !n.MissingTrue, no, yes)
	default:
		return f.at(n, f.atMost(n.Value), !n.MissingTrue, no, yes)
	}
}

func (f *flatTrees) at(n *TreeNode, key int64, nanLeft bool, left, right *cut) *cut {
	feature := n.Feature
	if nanLeft {
		feature += f.features
	}
	return &cut{key: key, feature: int32(feature), left: left, right: right}
}

// lowest is less than the key of every number, and highest is the key of NaN.
func (f *flatTrees) lowest() int64 {
	if f.double {
		return math.MinInt64
	}
	return math.MinInt32
}

func (f *flatTrees) highest() int64 { return ^f.lowest() }

// atMost is the key of the largest number that is at most v and that x can be;
// atLeast is the key of the smallest such number that is at least v.
func (f *flatTrees) atMost(v float64) int64 { return f.key(v, -1) }

func (f *flatTrees) atLeast(v float64) int64 { return f.key(v, 1) }

func (f *flatTrees) key(v float64, side int) int64 {
	if f.double {
		return engine.FloatKey64(v)
	}
	x := float32(v)
	if back := float64(x); side < 0 && back > v || side > 0 && back < v {
		x = math.Nextafter32(x, float32(math.Inf(side)))
	}
	return int64(engine.FloatKey32(x))
}

// lay puts the nodes of a tree down breadth first, so that the upper ones, which
// everybody passes, lie together, and children side by side. A node that leads to a
// step that lies elsewhere already leads to one all of whose ways go there.
func (f *flatTrees) lay(root *cut) {
	type waiting struct {
		c     *cut
		at    int32
		depth int32
		share float64 // of samples that come here, if half go each way
	}
	placed := map[*cut]int32{}
	deepest, jumps := int32(0), int32(0)
	first := f.grow(1)
	for queue := []waiting{{root, first, 0, 1}}; len(queue) > 0; queue = queue[1:] {
		w := queue[0]
		deepest = max(deepest, w.depth)
		if w.c.leaf != nil {
			f.put(w.at, f.highest(), 0, w.at, f.leaf(w.c.leaf))
			continue
		}
		f.steps += w.share
		if at, ok := placed[w.c]; ok {
			f.put(w.at, f.highest(), 0, at, -1)
			jumps++
			continue
		}
		placed[w.c] = w.at
		left := f.grow(2)
		f.put(w.at, w.c.key, w.c.feature, left, -1)
		queue = append(queue, waiting{w.c.left, left, w.depth + 1, w.share / 2}, waiting{w.c.right, left + 1, w.depth + 1, w.share / 2})
	}
	if jumps > 0 {
		deepest *= 2 // a way may be as long as another one that it joins
	}
	f.roots = append(f.roots, first, deepest)
}

// grow makes room for n nodes.
func (f *flatTrees) grow(n int) int32 {
	at := f.count
	f.count += n
	f.nodes = append(f.nodes, make([]byte, n*f.nodeBytes())...)
	return int32(at)
}

func (f *flatTrees) nodeBytes() int {
	if f.double {
		return 24
	}
	return 16
}

// put writes a node.
func (f *flatTrees) put(at int32, key int64, feature, left, leaf int32) {
	b := f.nodes[int(at)*f.nodeBytes():]
	if f.double {
		binary.NativeEndian.PutUint64(b, uint64(key))
		b = b[8:]
	} else {
		binary.NativeEndian.PutUint32(b, uint32(key))
		b = b[4:]
	}
	for i, v := range []int32{feature, left, leaf} {
		binary.NativeEndian.PutUint32(b[4*i:], uint32(v))
	}
}

// leaf enters the weights of a leaf.
func (f *flatTrees) leaf(n *TreeNode) int32 {
	for _, w := range n.Weights {
		f.to, f.weights = append(f.to, int32(w.Target)), append(f.weights, w.Value)
	}
	f.starts = append(f.starts, int32(len(f.to)))
	return int32(len(f.starts) - 2)
}

// tensors are the operands of a task after x.
func (f *flatTrees) tensors(dt tensor.DType) []*tensor.Tensor {
	aligned := tensor.AlignedBytes(len(f.nodes))
	copy(aligned, f.nodes)
	return []*tensor.Tensor{
		tensor.Must(tensor.FromBytes(tensor.Int32, aligned, len(aligned)/4)),
		tensor.Must(tensor.FromSlice(f.roots)), tensor.Must(tensor.FromSlice(f.starts)), tensor.Must(tensor.FromSlice(f.to)),
		tensor.Must(tensor.Cast(tensor.Must(tensor.FromSlice(f.weights)), dt)),
	}
}

package ops

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// TreeMode says when a sample goes from a node to its child True. The zero value
// is the mode of most libraries. NaN is neither equal to anything nor less nor
// greater, so that of the modes only TreeNotEqual lets it pass.
type TreeMode uint8

// The modes; x is the sample's feature.
const (
	TreeLessEqual    TreeMode = iota // x <= Value
	TreeLess                         // x < Value
	TreeGreaterEqual                 // x >= Value
	TreeGreater                      // x > Value
	TreeEqual                        // x == Value
	TreeNotEqual                     // x != Value
	TreeMember                       // x is one of Set
	TreeLeaf                         // there are no children
)

// TreeNode is a node of a decision tree.
type TreeNode struct {
	Mode    TreeMode
	Feature int
	Value   float64
	Set     []float64 // of TreeMember
	// True and False are the numbers of the children among the tree's nodes.
	True, False int
	// MissingTrue sends NaN to True whatever the mode.
	MissingTrue bool
	// Weights are the contributions of a leaf.
	Weights []TreeWeight
}

// TreeWeight is the contribution of a leaf to one number of the result.
type TreeWeight struct {
	Target int
	Value  float64
}

// TreeAggregate says how the weights of all trees become one number.
type TreeAggregate uint8

// The aggregates.
const (
	TreeSum TreeAggregate = iota
	TreeMean
	TreeMin
	TreeMax
)

// TreeTransform is the function that is applied to the aggregates.
type TreeTransform uint8

// The transforms.
const (
	TreeRaw         TreeTransform = iota
	TreeLogistic                  // 1 / (1 + exp(-y))
	TreeSoftmax                   // over the targets
	TreeSoftmaxZero               // the same over those that are not 0; these stay 0
)

// TreeEnsemble is a model of decision trees: a random forest, gradient-boosted
// trees. It must not change once it was given to an op.
type TreeEnsemble struct {
	// Trees are the nodes of each tree; node 0 is its root.
	Trees   [][]TreeNode
	Targets int // numbers for each sample; 0 counts as 1
	// Base is added to each number, after the aggregate; nil adds nothing.
	Base      []float64
	Aggregate TreeAggregate
	Transform TreeTransform
	// Labels are the classes of a classifier: one for each target, or two for
	// one target, the negative one first. nil numbers them from 0.
	Labels []int64
}

// TreeRegress returns the prediction of an ensemble for each row of x:
//
//	y[n, t] = transform(base[t] + aggregate over trees of the weights of t in the leaf that x[n] reaches)
//
// x is [N, features], the result [N, targets]. The aggregate is a sum, a mean over
// all trees, or the least or greatest weight; 0 where no leaf has a weight for t. Values are compared
// exactly: with a float32 x, a Value that float32 does not have lies between
// two that it has. The derivative is 0 wherever there is one.
// Errors: x is not a float32 or float64 matrix with features; an ensemble that
// is no set of trees (a child that is not there, a node that is its own
// ancestor), or that names features or targets that are not there.
// Source: ONNX-ML, operators TreeEnsembleRegressor and TreeEnsemble.
func TreeRegress(x *Node, e *TreeEnsemble) *Node {
	y := treeScores(x, e)
	if y.bad {
		return y
	}
	return e.Transform.of(y)
}

// TreeClassify returns for each row of x the label that an ensemble gives it, an
// int64, and the scores of all labels, [N, labels]. The label is the one with
// the largest score before the transform, the first of several. With one
// target there are two labels. Where all weights are at least 0, its sum p is
// the second one's probability: the scores are 1 - p and p, and the label is
// the second where p > 1/2. Otherwise it is where
// the sum s > 0, and the scores are the transforms of -s and s, as they are with
// TreeLogistic whatever the weights.
// Errors: as [TreeRegress]; a number of labels that does not fit.
// Source: ONNX-ML, operator TreeEnsembleClassifier, and where it is silent onnxruntime.
func TreeClassify(x *Node, e *TreeEnsemble) (labels, scores *Node) {
	y := treeScores(x, e)
	if y.bad {
		return y, y
	}
	classes := max(y.Dim(1), 2)
	names := e.Labels
	if names == nil {
		for i := range classes {
			names = append(names, int64(i))
		}
	}
	if len(names) != classes {
		n := x.graph.fail("tree_ensemble", []*Node{x}, fmt.Errorf("%d labels for %d classes", len(names), classes))
		return n, n
	}
	var class *Node
	switch {
	case y.Dim(1) > 1:
		class, scores = ArgMax(y, 1), e.Transform.of(y)
	default:
		half := 0.0
		if e.positive() {
			half = 0.5
		}
		class = Cast(Greater(Reshape(y, -1), ScalarLike(y, half)), tensor.Int64)
		if half > 0 && e.Transform != TreeLogistic {
			scores = Concat(1, Sub(ScalarLike(y, 1), y), y)
		} else {
			scores = e.Transform.of(Concat(1, Neg(y), y))
		}
	}
	return Gather(x.graph.Const(tensor.Must(tensor.FromSlice(names))), 0, class), scores
}

// positive reports whether no weight is below 0.
func (e *TreeEnsemble) positive() bool {
	for _, nodes := range e.Trees {
		for _, n := range nodes {
			for _, w := range n.Weights {
				if w.Value < 0 {
					return false
				}
			}
		}
	}
	return true
}

// of applies the transform to scores of [N, targets].
func (t TreeTransform) of(y *Node) *Node {
	switch t {
	case TreeLogistic:
		return Sigmoid(y)
	case TreeSoftmax:
		return Softmax(y, 1)
	case TreeSoftmaxZero:
		zero := ScalarLike(y, 0)
		e := Where(Equal(y, zero), zero, Exp(Sub(y, ExpandDims(Max(y, 1), 1))))
		sum := Sum(e, 1)
		sum = Where(Equal(sum, zero), ScalarLike(y, 1), sum) // nothing but zeros
		return Div(e, ExpandDims(sum, 1))
	}
	return y
}

// treeScores are the aggregates with the base.
func treeScores(x *Node, e *TreeEnsemble) *Node {
	if x == nil || x.bad {
		return apply("tree_ensemble", nil, x)
	}
	fail := func(err error) *Node { return x.graph.fail("tree_ensemble", []*Node{x}, err) }
	switch {
	case e == nil:
		return fail(errors.New("the ensemble is nil"))
	case x.dtype != tensor.Float32 && x.dtype != tensor.Float64:
		return fail(fmt.Errorf("dtype %v is not float32 or float64 (cast with ops.Cast)", x.dtype))
	case x.Rank() != 2 || x.shape[1] == 0 || isOpen(x.shape[1]):
		return fail(fmt.Errorf("%v is not [samples, features]", x.shape))
	case e.Aggregate > TreeMax || e.Transform > TreeSoftmaxZero:
		return fail(fmt.Errorf("there is no aggregate %d or no transform %d", e.Aggregate, e.Transform))
	}
	flat, err := flatten(e, x.dtype, x.shape[1])
	if err != nil {
		return fail(err)
	}
	a := treeAttr{engine.Trees{
		Features: int64(x.shape[1]), Targets: int64(flat.targets), Nodes: int64(flat.count),
		Count: int64(len(e.Trees)), Leaves: int64(len(flat.starts) - 1), Weights: int64(len(flat.to)),
		Steps: flat.steps, Aggregate: engine.Aggregate(e.Aggregate),
	}}
	in := []*Node{x}
	for _, t := range flat.tensors(x.dtype) {
		in = append(in, x.graph.Const(t))
	}
	n := apply("tree_ensemble", a, in...)
	if n.bad {
		return n
	}
	y := pickOf(n, 0)
	if e.Base == nil {
		return y
	}
	if len(e.Base) != flat.targets {
		return fail(fmt.Errorf("a base of %d numbers for %d targets", len(e.Base), flat.targets))
	}
	base := tensor.Must(tensor.Cast(tensor.Must(tensor.FromSlice(e.Base)), x.dtype))
	return Add(y, x.graph.Const(base))
}

// treeAttr is the task but for the number of samples.
type treeAttr struct{ trees engine.Trees }

// Ensemble is the task, for packages that write graphs in another form.
func (a treeAttr) Ensemble() engine.Trees { return a.trees }

var _ = define(Op{
	Name: "tree_ensemble", Category: "trees",
	Attributes: AttributesOf[treeAttr](),
	Operands:   []Operand{{Name: "x"}, {Name: "tables", DTypes: every, Repeated: true}},
	DTypes:     []tensor.DType{tensor.Float32, tensor.Float64}, kind: ir.KindRoutine, Flat: true,
	ResultNames: []string{"scores"}, builtBy: "ops.TreeRegress or ops.TreeClassify",
	Results: func(c *Call) ([]Result, error) {
		return []Result{{c.dt(0), []int{c.shape(0)[0], int(c.Attr.(treeAttr).trees.Targets)}}}, nil
	},
	algorithm: func(n *ir.Node) engine.Algorithm {
		a := n.Attr.(treeAttr).trees
		a.Samples = int64(n.In[0].Shape[0])
		return &a
	},
})

package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// CTCOptions say more about [CTCLoss]. The zero value and nil are the class 0 for blanks, and the mean.
type CTCOptions struct {
	Reduction LossReduction
	Blank     int // the class of blanks
	// ZeroInfinity gives the loss 0 in place of +Inf where the targets are longer than the inputs can say.
	ZeroInfinity bool
	// Longest is how long the longest target is at most, where targets stand one after the other; 0: as long as all together. It saves time.
	Longest int
}

type ctcAttr struct {
	lossAttr
	Blank        int  `default:"0" doc:"the class of blanks"`
	ZeroInfinity bool `default:"false" doc:"the loss of targets that cannot be said is 0, not +Inf"`
	Longest      int  `default:"0" doc:"length of the longest target, where they stand one after the other; 0: as long as all together"`
}

// CTCLoss returns the negative log-likelihood of targets under all alignments with the inputs, in which classes may be repeated and blanks
// stand between them:
//
//	l[n] = -log Σ_{paths that become targets[n]} Π_t e^x[t, n, path[t]]
//
// x is [T, N, C], a float of log-probabilities; targets is an integer [N, S], or all targets one after the other, without blanks;
// inputLengths and targetLengths are integers [N]. It is computed by the forward algorithm in logarithms; 16-bit floats in float32. The
// mean divides each loss by the length of its target, of at least 1, first. The derivative is that of the formula, each x being a
// variable of its own, and 0 where no alignment is possible; PyTorch's is the derivative by the operand of a log-softmax, which
// [LogSoftmax] gives here. Errors: shapes; dtypes; the blank is no class. Source: Graves et al., Connectionist Temporal Classification
// (2006), section 4.1; PyTorch, torch.nn.CTCLoss.
func CTCLoss(x, targets, inputLengths, targetLengths *Node, o *CTCOptions) *Node {
	v := valueOf(o)
	return apply("ctc_loss", ctcAttr{lossAttr{v.Reduction}, v.Blank, v.ZeroInfinity, v.Longest}, x, targets, inputLengths, targetLengths)
}

var _ = define(Op{
	Name: "ctc_loss", Category: "loss", Attributes: AttributesOf[ctcAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "targets", DTypes: ints}, {Name: "input_lengths", DTypes: ints},
		{Name: "target_lengths", DTypes: ints}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x, t := c.Attr.(ctcAttr), c.shape(0), c.shape(1)
		switch {
		case len(x) != 3 || len(t) != 1 && len(t) != 2 || len(t) == 2 && t[0] != x[1]:
			return nil, 0, fmt.Errorf("x is %v and targets %v, not [T N C] and [N S]", x, t)
		case a.Blank < 0 || a.Blank >= x[2] || a.Longest < 0:
			return nil, 0, fmt.Errorf("the blank %d is none of %d classes, or the longest target %d", a.Blank, x[2], a.Longest)
		case !slices.Equal(c.shape(2), x[1:2]) || !slices.Equal(c.shape(3), x[1:2]):
			return nil, 0, fmt.Errorf("lengths are %v and %v, not [%d]", c.shape(2), c.shape(3), x[1])
		}
		shape, err := a.shape(x[1:2])
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(ctcAttr), widen(c.In[0])
		inputs, lengths := Cast(c.In[2], tensor.Int64), Cast(c.In[3], tensor.Int64)
		targets := a.rows(Cast(c.In[1], tensor.Int64), lengths)
		l := a.each(x, targets, inputs, lengths)
		if a.reduction() == LossMean {
			l = Div(l, Cast(Maximum(lengths, 1), l.dtype))
		}
		return Cast(a.fold(l), c.dt(0))
	},
})

// rows are the targets as [N, S].
func (a ctcAttr) rows(targets, lengths *Node) *Node {
	if targets.Rank() == 2 {
		return targets
	}
	n, s := lengths.shape[0], targets.shape[0]
	if a.Longest > 0 {
		s = min(s, a.Longest)
	}
	starts := ExpandDims(CumSum(lengths, 0, &CumSumOptions{Exclusive: true}), 1)
	return Gather(targets, 0, Add(starts, targets.graph.Iota(tensor.Int64, 1, n, s)))
}

// ctcNever is the logarithm of a probability of 0. It is finite, so that no derivative is Inf - Inf.
const ctcNever = -1e30

// each is the loss of each sequence.
func (a ctcAttr) each(x, targets, inputs, lengths *Node) *Node {
	g, batch, longest := x.graph, x.shape[1], targets.shape[1]
	states := 2*longest + 1
	// The classes of the states: a blank before, between and after the targets.
	blanks := g.Full(tensor.Int64, float64(a.Blank), batch, longest, 1)
	said := Reshape(Concat(2, ExpandDims(targets, 2), blanks), batch, 2*longest)
	said = Concat(1, g.Full(tensor.Int64, float64(a.Blank), batch, 1), said) // [N, 2S+1]
	before := Slice(Pad(said, -1, Padding{1, 2, 0}), Range{Axis: 1, Stop: states})
	at := g.Iota(tensor.Int64, 1, batch, states)
	skips := And(And(NotEqual(said, int64(a.Blank)), NotEqual(said, before)), GreaterEqual(at, 2))
	emitted := Maximum(apply("ctc_emit", nil, x, said), ctcNever) // [T, N, 2S+1]
	never := ScalarLike(x, ctcNever)
	first := BroadcastTo(Where(Equal(at, 0), ScalarLike(x, 0), never), batch, states)
	moved := func(s *Node, k int) *Node {
		return Slice(Pad(s, ctcNever, Padding{1, k, 0}), Range{Axis: 1, Stop: states})
	}
	last, _ := Scan([]*Node{first}, []*Node{emitted}, func(i *Node, s, e []*Node) (next, y []*Node) {
		sum := logSum(s[0], moved(s[0], 1), Where(skips, moved(s[0], 2), never))
		said := Maximum(Add(sum, e[0]), ctcNever)
		return []*Node{Where(Less(i, ExpandDims(inputs, 1)), said, s[0])}, nil
	}, nil)
	end := ExpandDims(Mul(lengths, 2), 1)
	pick := func(at *Node) *Node {
		inside := GreaterEqual(at, 0)
		return Squeeze(Where(inside, TakeAlong(last[0], 1, Maximum(at, 0)), never), 1)
	}
	likely := logSum(pick(end), pick(Sub(end, 1)))
	none := math.Inf(1)
	if a.ZeroInfinity {
		none = 0
	}
	return Where(Greater(likely, ctcNever/10), Neg(likely), ScalarLike(likely, none))
}

// logSum is log Σ e^x of some tensors, element by element.
func logSum(xs ...*Node) *Node {
	top := xs[0]
	for _, x := range xs[1:] {
		top = Maximum(top, x)
	}
	top = StopGradient(top)
	var sum *Node
	for _, x := range xs {
		e := Exp(Sub(x, top))
		if sum == nil {
			sum = e
		} else {
			sum = Add(sum, e)
		}
	}
	return Add(top, Log(sum))
}

// ctc_emit is the log-probability of the class of each state of each sequence: y[t, n, s] = x[t, n, said[n, s]]. Its derivative is one
// product of matrices.
var _ = define(Op{
	Name: "ctc_emit", Operands: []Operand{{Name: "x"}, {Name: "said", DTypes: ints}}, hidden: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return []int{c.shape(0)[0], c.shape(0)[1], c.shape(1)[1]}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x, said := c.In[0], c.In[1]
		shape := []int{x.shape[0], said.shape[0], said.shape[1]}
		return TakeAlong(x, 2, BroadcastTo(ExpandDims(said, 0), shape...))
	},
	Grad: func(b *Back) {
		x, said := b.In(0), b.In(1)
		d := MatMul(Transpose(b.Grad(), 1, 0, 2), OneHot(said, x.shape[2], x.dtype)) // [N, T, C]
		b.Add(0, Transpose(d, 1, 0, 2))
	},
})

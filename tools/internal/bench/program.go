package bench

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Program is a computation in neutral steps, for every contender to translate. Contenders in other
// processes read its JSON.
type Program struct {
	Nodes []Node `json:"nodes"` // each after those that it reads
	// Outputs are the results: values of nodes, and after them the derivatives
	// of the first output, which is then a scalar, with respect to Wrt.
	Outputs []Ref `json:"outputs"`
	Wrt     []Ref `json:"wrt,omitempty"`
	// Train makes every run a step of Adam on the first output over all weights, with
	// the learning rate [LearningRate].
	Train bool `json:"train,omitempty"`
}

// Ref names a node by its position.
type Ref int

// Node is a leaf or a step.
type Node struct {
	Op string `json:"op"` // "leaf", or the name of the step
	In []Ref  `json:"in,omitempty"`
	Attr
	Ours func(x []*ops.Node) *ops.Node `json:"-"` // of call
	// Of leaves:
	Role  Role         `json:"role,omitempty"`
	DType tensor.DType `json:"-"`
	Type  string       `json:"dtype,omitempty"`
	Dims  []int        `json:"dims,omitempty"`
	Fill  Fill         `json:"-"`
}

// Attr are the attributes of steps; each step uses few.
type Attr struct {
	Axis     int     `json:"axis,omitempty"`
	Axes     []int   `json:"axes,omitempty"`  // perm of transpose, axes of reductions
	Shape    []int   `json:"shape,omitempty"` // of reshape
	Start    int     `json:"start,omitempty"` // of slice
	Stop     int     `json:"stop,omitempty"`
	Size     int     `json:"size,omitempty"` // of pooling; how many of top_k
	Stride   int     `json:"stride,omitempty"`
	Pad      int     `json:"pad,omitempty"`
	Groups   int     `json:"groups,omitempty"`
	Value    float64 `json:"value,omitempty"`
	Causal   bool    `json:"causal,omitempty"`
	CastType string  `json:"cast,omitempty"`
	Torch    string  `json:"torch,omitempty"` // of call: the expression for PyTorch
	SciPy    string  `json:"scipy,omitempty"` // the one for SciPy
	Function string  `json:"-"`               // of call: the name by which libraries without a language know it
}

// Role says where a leaf lies and how it may change.
type Role string

// Roles of leaves.
const (
	// Operand lies where the contender computes, and may change between runs, so
	// nothing may be prepared from it. When all leaves are operands or weights, the
	// results stay there too.
	Operand Role = "operand"
	// Input comes from the caller's memory at every run, and the results go back there.
	Input Role = "input"
	// Weight is constant in inference, and updated by training.
	Weight Role = "weight"
)

// Fill says how a leaf is drawn.
type Fill struct {
	Scale float64 // normal numbers times Scale + Shift; 0 means 1
	Shift float64
	Below int // integers in [0, Below)
}

// Leaf adds a leaf.
func (p *Program) Leaf(role Role, dt tensor.DType, fill Fill, dims ...int) Ref {
	if dims == nil {
		dims = []int{}
	}
	return p.add(Node{Op: "leaf", Role: role, DType: dt, Type: dt.String(), Dims: dims, Fill: fill})
}

// Operand adds a float32 operand of normal numbers.
func (p *Program) Operand(dims ...int) Ref {
	return p.Leaf(Operand, tensor.Float32, Fill{}, dims...)
}

// Input adds a float32 input of normal numbers.
func (p *Program) Input(dims ...int) Ref { return p.Leaf(Input, tensor.Float32, Fill{}, dims...) }

// Weight adds a float32 weight whose size suits fan inputs. Source: He et al.,
// Delving deep into rectifiers (2015), section 2.2.
func (p *Program) Weight(fan int, dims ...int) Ref {
	return p.Leaf(Weight, tensor.Float32, Fill{Scale: math.Sqrt(2 / float64(fan))}, dims...)
}

// Do adds a step without attributes.
func (p *Program) Do(op string, in ...Ref) Ref { return p.With(Attr{}, op, in...) }

// With adds a step with attributes.
func (p *Program) With(a Attr, op string, in ...Ref) Ref {
	return p.add(Node{Op: op, In: in, Attr: a})
}

func (p *Program) add(n Node) Ref {
	p.Nodes = append(p.Nodes, n)
	return Ref(len(p.Nodes) - 1)
}

// Return sets the outputs.
func (p *Program) Return(out ...Ref) *Program {
	p.Outputs = out
	return p
}

// Backward makes the program return y, and the derivatives of the sum of y times
// random numbers of the given shape with respect to xs.
func (p *Program) Backward(y Ref, shape []int, xs ...Ref) *Program {
	loss := p.Do("sum", p.Do("mul", y, p.Operand(shape...)))
	p.Outputs, p.Wrt = []Ref{loss, y}, xs
	return p
}

// Leaves are the positions of the leaves.
func (p *Program) Leaves() []Ref {
	var out []Ref
	for i, n := range p.Nodes {
		if n.Op == "leaf" {
			out = append(out, Ref(i))
		}
	}
	return out
}

// Weights are the positions of the weights.
func (p *Program) Weights() []Ref {
	var out []Ref
	for _, r := range p.Leaves() {
		if p.Nodes[r].Role == Weight {
			out = append(out, r)
		}
	}
	return out
}

// Resident reports whether the results stay where they are computed.
func (p *Program) Resident() bool {
	for _, r := range p.Leaves() {
		if p.Nodes[r].Role == Input {
			return false
		}
	}
	return !p.Train
}

// Single returns the only step of p, for contenders that do one thing.
func (p *Program) Single() (Node, bool) {
	var step Node
	n := 0
	for _, x := range p.Nodes {
		if x.Op != "leaf" {
			step, n = x, n+1
		}
	}
	return step, n == 1 && len(p.Wrt) == 0 && !p.Train
}

// Draw makes the operands, the same for the same seed.
func (p *Program) Draw(seed uint64) ([]*tensor.Tensor, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []*tensor.Tensor
	for _, r := range p.Leaves() {
		n := &p.Nodes[r]
		t, err := n.draw(rng)
		if err != nil {
			return nil, fmt.Errorf("bench: operand %d: %w", r, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (n *Node) draw(rng *rand.Rand) (*tensor.Tensor, error) {
	count, err := tensor.NumElems(n.Dims)
	if err != nil {
		return nil, err
	}
	if n.DType.IsInt() {
		v := make([]int64, count)
		for i := range v {
			v[i] = rng.Int64N(int64(max(n.Fill.Below, 1)))
		}
		t, err := tensor.FromSlice(v, n.Dims...)
		if err != nil || n.DType == tensor.Int64 {
			return t, err
		}
		return tensor.Cast(t, n.DType)
	}
	scale := n.Fill.Scale
	if scale == 0 {
		scale = 1
	}
	t, err := tensor.New(tensor.Float32, n.Dims...)
	if err != nil {
		return nil, err
	}
	v, err := tensor.ToSlice[float32](t)
	if err != nil {
		return nil, err
	}
	// Large operands repeat a block of an odd length: drawing is not measured.
	const block = 1<<20 + 7
	for i := range min(len(v), block) {
		v[i] = float32(rng.NormFloat64()*scale + n.Fill.Shift)
	}
	for i := block; i < len(v); i += copy(v[i:], v[:block]) {
	}
	if n.DType == tensor.Float32 {
		return t, nil
	}
	return tensor.Cast(t, n.DType)
}

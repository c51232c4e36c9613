package ir

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

var (
	inputOp  = &Op{Name: "input", Kind: KindInput}
	sumOp    = &Op{Name: "sum", Kind: KindReduce, Fold: engine.Sum}
	sortOp   = &Op{Name: "sort", Kind: KindRoutine}
	pickOp   = &Op{Name: "pick", Kind: KindPick}
	expOp    = &Op{Name: "exp", Scalar: &engine.Scalar{}}
	nothing  = &Op{Name: "nothing"}
	whileOp  = &Op{Name: "while", Kind: KindControl}
	constOp  = &Op{Name: "const", Kind: KindConst}
	randomOp = &Op{Name: "uniform", Kind: KindRandom}
)

func node(id int, op *Op, attr any, in ...*Node) *Node {
	return &Node{ID: id, Op: op, Attr: attr, In: in, Shape: []int{3}, DType: tensor.Float32, Label: op.Name, Caller: "here.go:1"}
}

func TestAGraphThatIsWholeIsValid(t *testing.T) {
	t.Parallel()
	x := node(0, inputOp, nil)
	e := node(1, expOp, nil, x)
	s := node(2, sumOp, ReduceAttr{Axes: []int{0}}, e)
	require.NoError(t, ValidateNodes([]*Node{s, e}))
}

func TestWhatAPassLeavesBrokenIsFound(t *testing.T) {
	t.Parallel()
	x := node(0, inputOp, nil)
	negative := node(1, expOp, nil, x)
	negative.Shape = []int{-1}
	sorted := node(1, sortOp, nil, x)
	for name, broken := range map[string]*Node{
		"two of one id":               node(0, expOp, nil, x),
		"no op":                       {ID: 1, In: []*Node{x}},
		"a negative extent":           negative,
		"neither function nor view":   node(1, nothing, nil, x),
		"a reduction without axes":    node(1, sumOp, nil, x),
		"a constant without a tensor": node(1, constOp, nil),
		"draws without a stream":      node(1, randomOp, nil),
		"a routine without algorithm": sorted,
		"a pick of what is not there": node(2, pickOp, PickAttr{I: 0}, sorted),
		"a loop without a body":       node(1, whileOp, &Control{}),
	} {
		require.Error(t, ValidateNodes([]*Node{broken}), name)
	}
}

func TestTasksMustFitTheirValues(t *testing.T) {
	t.Parallel()
	make := func() (instructions []*Instruction, x, y, z *Value) {
		float := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Float32, Len: n} }
		x = &Value{Node: node(0, inputOp, nil), DType: tensor.Float32, Len: 3}
		y = &Value{Node: node(1, expOp, nil), DType: tensor.Float32, Len: 3}
		z = &Value{Node: node(2, expOp, nil), DType: tensor.Float32, Len: 3}
		first := &Instruction{Task: &engine.Task{Name: "first", Ins: []engine.Operand{float(3)}, Outs: []engine.Operand{float(3)}}, Ins: []*Value{x}, Outs: []*Value{y}}
		second := &Instruction{Task: &engine.Task{Name: "second", Ins: []engine.Operand{float(3)}, Outs: []engine.Operand{float(3)}}, Ins: []*Value{y}, Outs: []*Value{z}}
		y.Maker, z.Maker = first, second
		return []*Instruction{first, second}, x, y, z
	}
	instructions, _, _, z := make()
	require.NoError(t, ValidateInstructions(instructions, []*Value{z}))
	for name, spoil := range map[string]func(instructions []*Instruction, x, y, z *Value){
		"read before it is made": func(instructions []*Instruction, _, _, _ *Value) {
			instructions[0], instructions[1] = instructions[1], instructions[0]
		},
		"an operand too few":   func(instructions []*Instruction, _, _, _ *Value) { instructions[1].Ins = nil },
		"another dtype":        func(_ []*Instruction, x, _, _ *Value) { x.DType = tensor.Int32 },
		"another length":       func(_ []*Instruction, _, y, _ *Value) { y.Len = 4 },
		"made by another task": func(instructions []*Instruction, _, _, z *Value) { z.Maker = instructions[0] },
	} {
		instructions, x, y, z := make()
		spoil(instructions, x, y, z)
		require.Error(t, ValidateInstructions(instructions, []*Value{z}), name)
	}
}

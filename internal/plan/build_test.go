package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/arena"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/tensor"
)

// copies is a schedule of n copies, one of the other, of an input of 64 numbers.
func copies(n int) *ir.Schedule {
	node := &ir.Node{Op: &ir.Op{Name: "input", Kind: ir.KindInput}, Shape: []int{64}, DType: tensor.Float32, Label: "x", Origin: "x"}
	value := func() *ir.Value {
		return &ir.Value{Node: node, DType: tensor.Float32, Len: 64, Addr: engine.AxisIndex(0), Dense: true}
	}
	operands := []engine.Operand{{DType: tensor.Float32, Len: 64}}
	s := &ir.Schedule{}
	last := value()
	for range n {
		u := &ir.Instruction{Ins: []*ir.Value{last}, Task: &engine.Task{
			Kind: engine.Map, Name: "copy", Axes: []int{64}, Groups: []int{1}, Ins: operands, Outs: operands,
			Values: []*engine.Expr{engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)},
		}}
		last = value()
		last.Maker = u
		u.Outs = []*ir.Value{last}
		s.Instructions = append(s.Instructions, u)
	}
	s.Results = []*ir.Value{last}
	return s
}

// planned is a model on two engines, and a placement of its tasks on these.
func planned(t *testing.T, s *ir.Schedule, on ...int) (*Model, *Placement) {
	t.Helper()
	a, b := fallback.New(nil), fallback.New(nil)
	t.Cleanup(func() {
		require.Zero(t, a.Stats().Memories+b.Stats().Memories, "planning allocates no memory")
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	})
	m := &Model{Schedule: s, Engines: []engine.Engine{a, b}, Pace: new(pace.Table)}
	p, err := m.Decide(nil)
	require.NoError(t, err)
	p.Order = nil
	for i, e := range on {
		p.Choices[i].Engine = e
	}
	return m, p
}

func TestAProgramIsWhole(t *testing.T) {
	t.Parallel()
	m, p := planned(t, copies(4), 0, 0, 1, 1)
	program := Build(m, p)
	require.NoError(t, program.Validate())
	require.Len(t, program.Steps, 3, "two runs, and the move between them: %+v", program.Steps)
	require.Equal(t, []StepKind{Run, Move, Run}, []StepKind{program.Steps[0].Kind, program.Steps[1].Kind, program.Steps[2].Kind})
	require.Equal(t, []int64{arena.Align}, program.Engines[0].Arenas, "copies write over what they read")
	require.Equal(t, 0, program.Instructions[1].Task.AliasOf(0))
	require.Equal(t, -1, m.Again().Instructions[1].Task.AliasOf(0), "another placement may share other memory")
}

func TestAProgramThatIsBrokenIsFound(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p *Program){
		"a task that no step runs":      func(p *Program) { p.Steps = p.Steps[:2] },
		"a task that is not bound":      func(p *Program) { p.Engines[0].Tasks = p.Engines[0].Tasks[:1] },
		"an operand outside its memory": func(p *Program) { p.Engines[0].Tasks[0].Ins[0].Offset = arena.Align },
		"an operand of another engine":  func(p *Program) { p.Engines[0].Tasks[0].Outs[0].Engine = 1 },
		"a move to where it comes from": func(p *Program) { p.Steps[1].To = 0 },
		"a result that lies nowhere":    func(p *Program) { p.Outputs[0].Memory = 7 },
		"an input that goes nowhere":    func(p *Program) { p.Inputs[0].To = nil },
	} {
		m, p := planned(t, copies(3), 0, 0, 1)
		program := Build(m, p)
		require.NoError(t, program.Validate())
		spoil(program)
		require.Error(t, program.Validate(), name)
	}
}

func TestARunTakesTimeOfItsOwn(t *testing.T) {
	t.Parallel()
	m, _ := planned(t, copies(1))
	require.Equal(t, ownRun+ownFeed+ownResult, m.OwnTime())
}

package optest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Every call that the samples make, made again by the op's name from its attributes as JSON, is the same call.
func TestCallsByNameAreThoseOfFunctions(t *testing.T) {
	made := map[string]bool{}
	for op := range ops.Table() {
		if op.Category == "control flow" { // what is in a region is seen from there only
			continue
		}
		for i, s := range spec.Samples(op.Name) {
			dt := mainDType(op)
			if s.Only != nil {
				dt = s.Only[0]
			}
			g := ops.NewGraph(op.Name)
			c := &cell{op: op, sample: s, dt: dt, number: i}
			c.build(g)
			require.NoError(t, g.Err(), "%s %s", op.Name, s.Label)
			var nodes []*ops.Node
			for n := range g.Nodes() {
				nodes = append(nodes, n)
			}
			for _, n := range nodes {
				o, listed := ops.OpNamed(n.Op().Name)
				if !listed {
					continue
				}
				values, err := o.Attributes.Encode(n.Attr())
				if err != nil { // built from tables: the op says which function makes it
					continue
				}
				text, err := json.Marshal(values)
				require.NoError(t, err, o.Name)
				var read map[string]any
				require.NoError(t, json.Unmarshal(text, &read))
				again := g.ApplyAll(o.Name, read, n.Operands()...)[0]
				if g.Err() != nil {
					require.ErrorContains(t, g.Err(), "is not called by name", "%s %s", o.Name, text)
					break
				}
				made[o.Name] = true
				if len(o.ResultNames) > 0 {
					again = again.Operands()[0]
				}
				require.Equal(t, n.Shape(), again.Shape(), "%s %s", o.Name, text)
				require.Equal(t, n.DType(), again.DType(), "%s %s", o.Name, text)
				then, err := o.Attributes.Encode(again.Attr())
				require.NoError(t, err)
				require.Equal(t, values, then, o.Name)
			}
		}
	}
	require.Greater(t, len(made), 100)
}

// Whatever operands and attributes are given by name, the answer is a node or an error of the graph.
func TestCallsByNameNeverPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	right := map[string]int{}
	for op := range ops.Table() {
		for round := range rounds {
			g := ops.NewGraph("any")
			var in []*ops.Node
			least, most := op.Arity()
			if most < 0 {
				most = least + 3
			}
			dt := op.DTypes[r.IntN(len(op.DTypes))]
			rank, extent := r.IntN(5), r.IntN(5)
			for i := range least + r.IntN(most-least+1) {
				shape := make([]int, rank)
				for a := range shape {
					if shape[a] = extent; r.IntN(3) == 0 {
						shape[a] = r.IntN(4)
					}
				}
				own := dt
				if p := op.Operands[min(i, len(op.Operands)-1)]; p.DTypes != nil {
					own = p.DTypes[r.IntN(len(p.DTypes))]
				}
				if r.IntN(20) == 0 {
					own = tensor.DTypes()[r.IntN(len(tensor.DTypes()))]
				}
				in = append(in, g.Input(fmt.Sprint(i), own, shape...))
			}
			values := map[string]any{}
			for _, a := range op.Attributes.All() {
				if a.Given || r.IntN(2) == 0 {
					values[a.Name] = anyValue(r, a.Type)
				}
			}
			var y *ops.Node
			require.NotPanics(t, func() {
				y = g.ApplyAll(op.Name, values, in...)[0]
				if g.Err() == nil && y.DType().IsFloat() && op.Differentiable() {
					var xs []*ops.Node
					for _, x := range in {
						if x.DType().IsFloat() {
							xs = append(xs, x)
						}
					}
					ops.Gradients(ops.Sum(y), xs...)
				}
			}, "%s round %d: %v of %v", op.Name, round, values, in)
			if g.Err() == nil {
				right[op.Name]++
			}
		}
	}
	require.Greater(t, len(right), 90, "%v", right)
}

// anyValue is a random value of an attribute, often one that makes no sense.
func anyValue(r *rand.Rand, typ string) any {
	switch typ {
	case "bool":
		return r.IntN(2) == 0
	case "int":
		return []int{-2, -1, 0, 1, 2, 3, 7, math.MinInt, math.MaxInt}[r.IntN(9)]
	case "float":
		return []any{0.0, 0.5, -1.0, 3.0, "NaN", "+Inf", 1e-5}[r.IntN(7)]
	case "string": // of the ops that take one, and what none takes
		texts := []string{
			"", "2", "-2", "fro", "nuc", "1", "inf", "reduced", "complete", "r", "auto", "direct", "ij,jk->ik", "ii", "...ab->...b", "a->->b", "é",
			"linear", "nearest", "set", "add", "mul", "mean", "reflect", "edge", "wrap", "nothing",
		}
		return texts[r.IntN(len(texts))]
	case "dtype":
		return tensor.DTypes()[r.IntN(len(tensor.DTypes()))].String()
	case "[]int", "[2]int":
		n := r.IntN(5)
		if typ == "[2]int" {
			n = 2
		}
		list := make([]int, n)
		for i := range list {
			if list[i] = r.IntN(5) - 1; r.IntN(50) == 0 {
				list[i] = math.MaxInt
			}
		}
		return list
	case "[]{axis int, size int, stride int, dilation int}":
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = map[string]any{"axis": r.IntN(5) - 1, "size": r.IntN(4), "stride": r.IntN(3)}
		}
		return list
	case "{stride [2]int, pad [2]int, dilation [2]int, groups int}":
		return map[string]any{"stride": anyValue(r, "[2]int"), "pad": anyValue(r, "[2]int"), "groups": r.IntN(3)}
	}
	if of, list := strings.CutPrefix(typ, "[]"); list {
		all := make([]any, r.IntN(4))
		for i := range all {
			all[i] = anyValue(r, of)
		}
		return all
	}
	panic("a value of " + typ)
}

package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// write prints the prompt and how the network in o.load goes on.
func write(ctx context.Context, rt *ops.Runtime, o options, out io.Writer) error {
	n, err := loadNetwork(ctx, o.load, o.seed, o.precision)
	if err != nil {
		return err
	}
	known := alphabet(n.Alphabet)
	prompt, err := known.numbers(o.prompt)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s", o.prompt)
	var times []time.Time
	for id, err := range n.text(ctx, rt, prompt, o.tokens, o.temperature) {
		if err != nil {
			return err
		}
		fmt.Fprint(out, string(known[id]))
		times = append(times, time.Now())
	}
	rate := func(t []time.Time) float64 { return float64(len(t)-1) / t[len(t)-1].Sub(t[0]).Seconds() }
	if half := len(times) / 2; half > 1 {
		fmt.Fprintf(out, "\n\n%.0f characters a second: %.0f in the first half, %.0f in the second\n", rate(times), rate(times[:half]),
			rate(times[half:]))
	}
	return nil
}

// text yields the network's continuation of the prompt, one character a step. The keys and values of those before are kept, so that
// each step costs the same.
func (n *network) text(ctx context.Context, rt *ops.Runtime, prompt []int32, count int, temperature float64) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		steps := len(prompt) + count - 1
		id, position, scores, updates := n.step(steps)
		next := ops.ArgMax(scores, 0)
		if temperature > 0 {
			next = ops.Reshape(ops.Categorical(ops.Div(scores, temperature), 1))
		}
		exe, err := n.Graph().Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{next}, Updates: updates, Reproducible: true})
		if err != nil {
			yield(0, err)
			return
		}
		defer exe.Close()
		last, at, chosen := tensor.Must(tensor.New(tensor.Int32, 1, 1)), tensor.Scalar(int32(0)), tensor.Scalar(int64(0))
		feeds, outs := ops.Feeds{id: last, position: at}, []*tensor.Tensor{chosen}
		for i := range steps {
			if i < len(prompt) {
				last.SetFloat64(0, float64(prompt[i]))
			} else {
				last.SetFloat64(0, chosen.Float64At(0))
			}
			at.SetFloat64(0, float64(i))
			err := exe.RunInto(ctx, feeds, outs)
			if err != nil || i >= len(prompt)-1 && !yield(int32(chosen.Float64At(0)), nil) {
				if err != nil {
					yield(0, err)
				}
				return
			}
		}
	}
}

// step scores all characters to come behind the one id, at the given position, of a text of at most length characters: [characters]. The
// updates keep its keys and values.
func (n *network) step(length int) (id, position, scores *ops.Node, updates []*ops.Node) {
	g, p := n.Graph(), n.Eval()
	id, position = g.Input("id", tensor.Int32, 1, 1), g.Input("position", tensor.Int32)
	scores = n.scores(p, id, n.Stack.NewCaches(p, "cache", 1, length, position))
	return id, position, ops.Reshape(scores, -1), p.Updates()
}

// Package optim trains variables: it turns a loss into updates of a graph.
//
//	opt := optim.New(optim.AdamW{LearningRate: 3e-4}, model.Params(), optim.Options{
//		Schedule:       optim.WarmUp(500, optim.Cosine(10_000, 0)),
//		ClipGlobalNorm: 1,
//	})
//	step, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss}, Updates: opt.Minimize(loss)})
//
// Every run of what is compiled is one step. Rules, their defaults and their names are those of PyTorch. Whatever a step
// decides, a rate by a schedule, whether gradients are clipped, whether a step is left out because a number of float16 was too large, is
// computed in the graph: a run waits for nothing that the host decides.
//
// # State
//
// What is kept from step to step is in variables: [Optimizer.Variables]. Their names are made of the rule's, of what they
// are and of the parameter's, as "adam.m.encoder.weight", and stay the same when the program is run again, so that checkpoints
// find them. State is at least float32: parameters of 16 bits are updated in float32 and rounded.
//
// # Zero values
//
// A field of a rule that is 0 has PyTorch's default; [Zero] stands for a 0.
package optim

import "github.com/anycl/anycl/ops"

func init() { ops.Helper() }

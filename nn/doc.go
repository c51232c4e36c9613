// Package nn has the layers of neural networks: modules, whose parameters are named variables of a graph.
//
// # Modules
//
// A module is a struct whose fields are its options, and [New] builds it: parameters are drawn on the host and
// become variables of the graph.
//
//	g := ops.NewGraph("mlp")
//	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 13)
//	net := nn.Sequential{
//		&nn.Linear{In: 13, Out: 64},
//		nn.ReLU,
//		&nn.Dropout{Rate: 0.1},
//		&nn.Linear{In: 64, Out: 3},
//	}
//	model := nn.New(g, net, nn.Options{Seed: 1})
//
// A program's own module is a struct with the method Apply. Its exported fields that are modules, or slices of them, are its
// children; a method Build declares parameters of its own:
//
//	type Block struct {
//		In  *nn.Linear `nn:"linear1"`
//		Out *nn.Linear
//	}
//
//	func (b *Block) Apply(p *nn.Pass, x *ops.Node) *ops.Node {
//		return ops.Add(x, b.Out.Apply(p, ops.GELU(b.In.Apply(p, x))))
//	}
//
// # Names
//
// Parameters have the names, the shapes and the order that PyTorch gives them, "0.weight" of the network above, or
// "encoder.layers.0.linear1.bias", so that parameters saved by PyTorch's users are found by name. A module that stands in two places
// has one set of parameters, under its first name.
//
// # Training and inference
//
// A [Pass] is one application of the modules: [Model.Train] begins one with dropout and with the statistics of the batch,
// [Model.Eval] one without. Both read the same variables, in one graph:
//
//	train := model.Train()
//	loss := ops.CrossEntropy(train.Apply(x), labels)
//	updates := append(optim.New(optim.AdamW{}, model.Params(), optim.Options{}).Minimize(loss), train.Updates()...)
//	scores := model.Eval().Apply(x)
//
// [Pass.Updates] are the running statistics of a training pass; name them beside those of the optimiser.
//
// # Precision
//
// With [Options].Compute, linear layers, convolutions, attention and recurrent layers compute in 16 bits, of which
// their operands are cast, while parameters stay in float32; normalisation is done in float32, and the result of [Pass.Apply]
// is float32. Package optim scales losses where float16 needs it.
//
// # Mistakes
//
// A wrong size does not stop building: it is a mistake of the graph, which Compile returns with the line that made it.
package nn

import "github.com/anycl/anycl/ops"

func init() { ops.Helper() }

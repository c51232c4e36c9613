// Package train is the loop around a training: epochs, validation, early stop, checkpoints, a progress line, logs.
//
//	history, err := train.Fit(ctx, rt, &train.Model{
//		Inputs:  []*ops.Node{x, y},
//		Loss:    loss,
//		Updates: opt.Minimize(loss),
//		Scores:  scores,
//	}, loader, train.Options{
//		Epochs:   100,
//		Valid:    valid,
//		Metrics:  []train.Metric{&train.Accuracy{}},
//		Patience: 10,
//		Folder:   &checkpoint.Folder{Dir: "run"},
//		Resume:   true,
//		Progress: os.Stderr,
//	})
//
// # The same bits again
//
// A training that stopped between any two steps, because its context was done, it was interrupted or killed, goes on from its
// last checkpoint and arrives at the same bits: parameters, the optimiser's state, random numbers, the order of examples, the
// history and the decisions that rest on it are in the checkpoint. For that, graphs are compiled with
// [ops.Target].Reproducible, unless [Options].Adaptive trades it for speed.
//
// # Several devices
//
// With [Model].Parallel, each step is one of an [ops.DataParallel], and everything else stays as it is. A checkpoint says nothing about
// how many devices there were.
//
// # Cost
//
// A step allocates nothing, provided that the graph's inputs and the loader's tensors fit as they are. Beside steps, the loop formats text
// when it writes a line, and a validation allocates its scores.
package train

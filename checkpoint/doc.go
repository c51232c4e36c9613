// Package checkpoint saves the state of a training and goes on with it: the values of all variables of a graph, which are
// parameters, running statistics and what optimisers keep, the place in the sequence of random numbers, and whatever else
// the program names.
//
//	state := &checkpoint.State{
//		Graph:  g,
//		Random: map[string]checkpoint.Random{"step": step}, // an executable, or an ops.DataParallel
//		Extra:  map[string]any{"position": &position},      // anything that JSON can hold
//	}
//	err := checkpoint.Save(ctx, "run.safetensors", state)
//	...
//	err = checkpoint.Restore(ctx, "run.safetensors", state) // in another process, of a graph that was built alike
//
// A training that is stopped between any two steps and goes on so makes the same bits as one that is not, on executables compiled
// with [ops.Target].Reproducible. A [Folder] keeps the last checkpoints and the best.
//
// A checkpoint is a file in the safetensors format, which replaces the one before only when it is whole and on the disk: a full disk, a
// kill or a loss of power leaves the one before. Its tensors carry the names of the variables; where several variables have one name,
// those after the first, in the order in which they were made, are called name#2, name#3 and so on. The rest is in its metadata, under
// names that begin with "anycl.": the format's version, CRC-32Cs of all tensors and of the rest, and JSON.
//
// [LoadWeights] reads what others have saved, under other names and transposed where they differ; [SaveWeights] writes what they can read.
package checkpoint

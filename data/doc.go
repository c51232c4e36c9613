// Package data feeds trainings: data sets in memory and in files, their order, batches made ahead of time.
//
// A [Dataset] gives examples by number. [Tensors] makes one of arrays, [Images] of a folder; [ReadCSV], [LoadNPZ] and
// tensor.LoadNPY read files into arrays. A [Loader] shuffles, gathers batches on goroutines of its own and knows where
// it is, so that a training that is interrupted goes on with the batch that comes next:
//
//	loader, err := data.NewLoader(set, data.LoaderOptions{Batch: 32, Shuffle: true, Seed: 1})
//	for batch, err := range loader.Epoch(ctx) {
//		...
//	}
//
// # Order
//
// Epoch e, counted from 0, of a shuffled loader of n examples with seed s has the order that this makes of the numbers 0 to n - 1:
//
//	for i = n - 1, ..., 1: swap elements i and ⌊r·(i + 1) / 2⁶⁴⌋, r the next 64 bits of PCG-DXSM seeded with (s, e)
//
// the method of Fisher and Yates with the generator of math/rand/v2. It depends on nothing else: the number of goroutines and
// batches read ahead changes nothing.
package data

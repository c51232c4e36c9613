// Package frame is a data frame: named columns in Arrow's layout, and queries over them that are planned before they run.
//
//	f, err := frame.New(frame.Of("city", []string{"Brno", "Oslo", "Brno"}), frame.Of("t", []float64{21, 14, 25}))
//	...
//	warm, err := f.Query().
//		Filter(frame.Col("t").Gt(15)).
//		GroupBy("city").
//		Agg(frame.Mean("t").As("mean"), frame.Rows().As("days")).
//		Collect(ctx)
//
// A [Query] is a description. Nothing runs, and no mistake is reported, before [Query.Collect]; then every mistake is,
// with the line that made it. The planner moves conditions to the sources, and reads only columns that are needed.
//
// # Devices
//
// With a [Device], steps run as graphs of package ops where that is faster: expressions, filters, joins, groups and orders, fused with each
// other. [Inputs] has expressions over columns in the graph of a model.
//
// # Order
//
// Results have an order, and the same one each time: filters and joins keep that of their (left) side, groups come in the order of their
// first rows, sorting is stable.
//
// # Null, NaN and zero
//
// A value may be null: unknown. A value computed from null is null, but for SQL's three-valued logic: false and null is false, true or null
// is true. A filter keeps the rows for which its condition is true. Aggregates leave nulls out. Null is a key of groups as any other, but
// no key of a join has a partner that is null. NaN is a value: equal to NaN, and above every number, in comparisons, sorting, grouping,
// joining and aggregates alike. 0 and -0 are equal.
package frame

// Package parquet reads and writes frames as Apache Parquet.
//
//	src, err := parquet.Open("flights.parquet", parquet.Options{})
//	...
//	late, err := frame.Scan(src).Filter(frame.Col("delay").Gt(60)).GroupBy("origin").Agg(frame.Rows().As("n")).Collect(ctx)
//
// Of a file only the columns are read that a query needs, and of those the row groups, and pages, whose statistics do not exclude the
// query's conditions. Row groups and columns are decoded by several goroutines and handed over in their order.
//
// # Types
//
// Booleans, integers of 8 to 64 bits, floats, dates, timestamps, decimals of up to 38 digits and strings (UTF8, enum, JSON) become
// columns; INT96 becomes a timestamp in nanoseconds, float16 a float32. A column of strings all of whose row groups have a dictionary
// becomes a dictionary column. Timestamps that are adjusted to UTC have that zone. Lists, structs, maps, times of day, UUIDs and binary
// data are refused by name, or left out if that is asked for.
//
// What Parquet does not have (durations, timestamps in seconds, names of zones) is written as the integer or timestamp that is nearest to
// it, and noted in the file's metadata under "anycl:types", so that this package reads it back.
//
// # Damaged files
//
// A file that is cut off, that changes while it is read, or whose pages contradict their headers is an error. What damaged sizes may make
// a reader allocate is bounded by Options.Memory. Parquet has checksums of pages, which are verified where a file has them; this package
// writes none.
//
// Source: Apache Parquet, file format 2.11.
package parquet

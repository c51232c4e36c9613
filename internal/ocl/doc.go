// Package ocl executes engine tasks on an OpenCL device.
//
// A task becomes a plan: a kernel file of package kernels with its hooks
// filled, a launch geometry and scratch memory. The steps, and where they
// stand:
//
//	collapse.go    merges axes that every address walks as one
//	gen*.go        turns expressions and indices into the text of hooks
//	family.go      which variants can run a task, and which one is taken
//	map.go …       one file a family: hooks, sizes, launches
//	engine.go …    the engine: memory, preparing, running
package ocl

package ocl

// deviceFacts is what planning needs to know of a device: plain values, so
// that tests can plan for devices that are not there.
type deviceFacts struct {
	name      string
	cpu       bool  // a CPU driver: few wide cores, caches instead of local memory
	units     int   // compute units
	workGroup int   // largest work-group
	localMem  int64 // bytes
	vector    int   // float lanes
	argBytes  int   // of kernel arguments
	maxAlloc  int64
	fp64      bool
	forceWide bool // tests: IDX is long whatever the sizes
}

package drills

// table is every drill, in the order of the page.
var table = []drill{
	{"Signals", "after drivers have started, opened a device and run on it, Go makes a panic of a nil dereference and hears its signals"},
	{"Launches", "runs leave nothing behind: RSS within 16 MiB, Go heap within 1 MiB, no OpenCL object, goroutine or file more than before, results checked"},
	{"Compiles", "small graphs of many sizes, compiled, run and closed: the same bounds"},
	{"Goroutines", "64 goroutines on one executable, on one that updates a variable, and on executables of their own: every result right, nothing left; `make race` runs it too"},
}

// foot is what stands below the table.
const foot = `
Drills of single packages:

- ` + "`cl`: TestEveryFailingCallSurfacesAndNothingLeaks" + ` for the binding alone
`

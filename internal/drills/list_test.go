package drills

// table is every drill, in the order of the page.
var table = []drill{
	{"Signals", "after drivers have started and run, Go still turns a nil dereference into a panic and receives its signals"},
	{"Launches", "runs of one graph: RSS grows by less than 16 MiB, Go heap by less than 1 MiB, nothing is left, results are right"},
	{"Steady", "100,000 runs of a small training and of a served network, in three processes that begin with empty caches: after the first 200 no run takes 50 ms, and the 99.99th percentile and the longest run that keeps its processors are below 20 times the median, or below twice the longest turn of empty loops on all processors where the machine pauses these more"},
	{"Compiles", "small graphs of many sizes are compiled, run and closed: the bounds of Launches"},
	{"Goroutines", "64 goroutines use one executable, one that updates a variable, and executables of their own: every result is right, nothing is left; `make race` runs it too"},
	{"Memory", "the device is out of memory from one allocation on, for each allocation of a life: the error names the graph, op or variable with its line, and the bytes; nothing is left, and the same step then works"},
	{"Statuses", "each OpenCL call of a life fails (of equal calls in a row the first and the last), with five statuses in turn: the caller gets an error unless the failure was compensated, nothing is left, the same step then works, no result is wrong"},
	{"LateFailures", "commands are accepted and fail when they run: the next wait reports it; the rest as Statuses"},
	{"BuildFailures", "a user's kernel does not compile, and each OpenCL call of that build fails too: the error has the log, the line and the op's place, nothing is left, the next graph works"},
	{"Measuring", "calls and allocations of tuner and calibration fail, once or from then on: they report it or do without, nothing is left, both work afterwards"},
	{"Cancelled", "contexts end at random moments of a life and of tuning: the error is the context's, nothing is left, later runs are right"},
	{"LostDevice", "every call fails from one moment on: errors say so, Close returns within a minute and leaves nothing, the CPU engine and other devices go on, programs that named no device continue on the CPU engine, and the device works when it is back"},
	{"Killed", "processes are killed while they write tuning, learned and measured files: what the next process reads is whole, and half-written files are removed"},
	{"KilledAnywhere", "processes are killed at random moments of a life that begins with cold caches, PoCL's too: the next process gives right results"},
	{"ColdCaches", "four processes start at once on cold caches, PoCL's too: all results are right, and those of a fifth"},
	{"DamagedCaches", "cache files are cut, emptied, replaced by a folder, have a bit flipped, or another kind or content under a right hash: the next program gives right results"},
	{"Disks", "the disk of the caches is full or read-only, or a file is in the way: programs run, no partial file stays, and explicit requests to keep something get an error"},
	{"Handles", "a runtime and its device are opened, used and closed: nothing is left, Go heap grows by less than 1 MiB"},
}

// foot is the text below the table.
const foot = `
Drills of single packages:

- ` + "`cl`: TestEveryFailingCallSurfacesAndNothingLeaks" + `, the binding alone
- ` + "`internal/cldriver`: TestHandlersAreTheSameAfterADriverHasStarted" + `, all 64 signals
- ` + "`internal/ocl`: TestAFailureAnywhereInPrepareLeaksNothing" + `, one sequence of kernels
- ` + "`ops/internal/tests/runs`: TestEveryFailureInsideEachIsToldAndLeaksNothing" + `, runs that work ahead
- ` + "`ops/internal/tests/runs`: TestOutOfDeviceMemoryIsTypedAndTheNextGraphWorks" + `, a device of one GiB that is really full
- ` + "`platform`: TestFourProcessesRaceOnAColdCache" + `, the cache of compiled programs
- ` + "`platform`: TestTruncatedCacheEntryIsRebuilt" + `, and its damages
- ` + "`platform/internal/diskcache`: TestDamagedFileIsNeverRead" + `, every bit and every length of a file
`

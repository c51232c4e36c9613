package drills

// table is every drill, in the order of the page.
var table = []drill{
	{"Signals", "after drivers have started, opened a device and run on it, Go makes a panic of a nil dereference and hears its signals"},
	{"Launches", "runs leave nothing behind: RSS within 16 MiB, Go heap within 1 MiB, no OpenCL object, goroutine or file more than before, results checked"},
	{"Steady", "100,000 runs of a small training and of a served network, in three processes that begin with empty caches: after the first 200, none takes 50 ms, the 99.99th percentile is below 20 times the median, or twice the longest turn of an empty loop as long, where the machine holds that up more"},
	{"Compiles", "small graphs of many sizes, compiled, run and closed: the same bounds"},
	{"Goroutines", "64 goroutines on one executable, on one that updates a variable, and on executables of their own: every result right, nothing left; `make race` runs it too"},
	{"Memory", "the device has no memory from one allocation on, at each allocation of a whole life (open, compile, train, Each, Profile, a larger graph): the error names graph, op or variable with its line, and bytes; nothing is left, the same step then works"},
	{"Statuses", "each OpenCL call of a whole life fails (of a row of equal ones the first and the last), with five statuses in turn: an error is the caller's unless what was lost is made up for, nothing is left, the same step then works, no result is wrong"},
	{"LateFailures", "commands are accepted and fail when their turn comes: whoever waits next hears of it; the rest as above"},
	{"BuildFailures", "a caller's kernel does not compile, and each OpenCL call of that fails too: the error has log, line and the op's place, nothing is left, the next graph works"},
	{"Measuring", "calls and allocations of tuner and calibration fail, once or from then on: told or done without, nothing left, both work afterwards"},
	{"Cancelled", "contexts end at random moments of compiling, training, runs, Each, Profile, tuning and opening: the error is the context's, nothing is left, later runs are right"},
	{"LostDevice", "every call fails from one moment on: errors say so, Close comes back within a minute and leaves nothing, the CPU path and other devices compute meanwhile, who named no device goes on on the CPU path, and the device works when it is back"},
	{"Killed", "processes that write tuning, learned and measured files are killed: what the next reads is whole, and half-written files go"},
	{"KilledAnywhere", "processes are killed at random moments of a life that begins with cold caches, PoCL's too: the next one is right"},
	{"ColdCaches", "four processes start at once on cold caches, PoCL's too: all are right, and so is the fifth"},
	{"DamagedCaches", "files of the caches cut, with a bit flipped, empty, with another kind or content under a right hash, a folder in their place: the next program is right"},
	{"Disks", "the caches' disk is full, read-only, or a file in the way: programs run, no half file stays, who asked to keep something is told"},
	{"Handles", "a runtime and its device opened, used and closed: no file, goroutine or OpenCL object more than before, Go heap within 1 MiB"},
}

// foot is what stands below the table.
const foot = `
Drills of single packages:

- ` + "`cl`: TestEveryFailingCallSurfacesAndNothingLeaks" + `, the binding alone
- ` + "`internal/cldriver`: TestHandlersAreTheSameAfterADriverHasStarted" + `, all 64 signals
- ` + "`internal/ocl`: TestAFailureAnywhereInPrepareLeaksNothing" + `, one sequence of kernels
- ` + "`ops`: TestEveryFailureInsideEachIsToldAndLeaksNothing" + `, runs that work ahead
- ` + "`ops`: TestOutOfDeviceMemoryIsTypedAndTheNextGraphWorks" + `, a device of one GiB that is really full
- ` + "`platform`: TestFourProcessesRaceOnAColdCache" + `, the cache of compiled programs
- ` + "`platform`: TestTruncatedCacheEntryIsRebuilt" + `, and its damages
- ` + "`platform`: TestDamagedSealedFileIsNeverRead" + `, every bit and every length of a file
`

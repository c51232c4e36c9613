// Package quirk is the table of known faults of devices and drivers.
package quirk

// Row is a known fault of a device or a driver.
type Row struct {
	Name    string
	Driver  string // which drivers, versions or devices it is about
	Symptom string
	Remedy  string
	Source  string // who says so, or where it was observed or measured
	Test    string // shows that the remedy is needed, or that it is in effect
	// Always marks a remedy that is in effect on every device.
	Always bool
	Fix    Fix // the workaround in code
	Match  func(d Device) bool
}

// Device holds the properties that rows are matched by.
type Device struct {
	Key       string // of the vendor or the implementation
	Platform  string // its name
	Driver    string // its version
	Simulated bool   // it accepts everything and computes nothing
}

// Fix is a workaround that code asks for by name.
type Fix uint32

// The workarounds.
const (
	NoResults    Fix = 1 << iota // accepts work and computes nothing
	NoFMA                        // fma() emulated in software or missing: do not even probe it
	NoFP64                       // crashes when double is used
	KernelsFirst                 // create kernels before asking for the binary
	DeclaredOnly                 // probe only the capabilities that the device declares
	OneThread                    // not safe for concurrent calls
	OwnCache                     // keep no binaries: the driver does
	LockBuilds                   // build one source in one process at a time
	NoAssembly                   // its compiler crashes at inline assembly for the CPU
	InOrder                      // do not even probe queues that are out of order
	Signals                      // restore signal handlers; internal/cldriver asks the environment itself
	WideBytes                    // its compiler crashes at vectors of bytes: hold them in words
	NoParts                      // must not be asked to divide a device
	Dimensions                   // sizes of dimensions above the third are 0
	NoDirect                     // no plain copies: a wait may end before the work does
	LongHeader                   // declare built-in functions instead of its header
	OneContext                   // one context for all that has a device open
	Widest                       // the first launch of a kernel is the widest
	NoSubBuffers                 // its process ends where parts of buffers are released
	ABIWarnings                  // its compiler warns of vectors that are wider than the processor's
	HalfVectors                  // takes the address of vectors of halves to be a multiple of their size
	TwicePasses                  // optimises a program when it is built, and each kernel again at its first launch
	ThreeBodies                  // compiles three copies of each kernel
	Preprocesses                 // runs the preprocessor over each source before it looks into its own cache
)

// VersionIn reports whether the first number in a driver's version text is at
// least from and, unless to is 0, below to.
func VersionIn(text string, from, to int) bool {
	n, seen := 0, false
	for _, r := range text {
		if r < '0' || r > '9' {
			if seen {
				break
			}
			continue
		}
		seen = true
		n = n*10 + int(r-'0')
		if n > 1<<20 {
			return false
		}
	}
	return seen && n >= from && (to == 0 || n < to)
}

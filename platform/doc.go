// Package platform finds OpenCL devices, describes and ranks them, proves their capabilities, and opens them.
//
// [Discover] lists the devices of all installed OpenCL platforms, best first. [Machine.Select]
// picks one by a short text such as "gpu" or "nvidia:0". [Device.Open] makes the objects that a
// program needs to work on it: a context, an in-order queue, a memory pool and a cache of compiled
// programs. A part of a device can be opened too: "gpu/2:0" is the first half of one.
//
//	m, err := platform.Discover(ctx, nil)
//	d, err := m.Select("")           // or "gpu", "amd:1", "pocl"
//	dev, err := d.Open(ctx, nil)
//	defer dev.Close()
//	mem, err := dev.Alloc(1 << 20)
//	prog, err := dev.Program(ctx, "twice.cl", source, "")
//
// # Nothing is taken at its word
//
// Extension strings lie both ways, so a capability counts only after a small kernel has computed
// the right result with it on this device and driver ([Device.Caps]). A known fault of a driver is
// a row of a table ([Quirk]). The reasons for a device's rank, the devices found and not used, and
// the proven capabilities are text that [Machine.Explain] and [Device.Explain] return, and JSON
// that [Device.Report] gives.
//
// # Environment
//
//	ANYCL_DEVICE          the device that Select("") selects; its grammar is Select's.
//	                      A device that is named and absent is an error.
//	ANYCL_CACHE           the folder of the caches; "off" keeps nothing on disk
//	ANYCL_TUNE            the folder of tuned parameters; "off" goes without them
//	ANYCL_STAGING         "on" or "off": whether bytes go to and from a device through
//	                      pinned memory, which else depends on the device
//	ANYCL_OPENCL_LIBRARY  the OpenCL library to load (read by package cl)
//
// The drivers read their own variables: OCL_ICD_VENDORS (which drivers are
// installed), POCL_CACHE_DIR, RUSTICL_ENABLE and many more.
//
// # Files
//
// Under Options.CacheDir, by default the folder anycl in os.UserCacheDir:
//
//	programs/<aa>/<key>         a compiled program
//	devices/<key>.caps          what a device was proven to do
//	devices/<key>.calibration   how fast it was measured to be
//	devices/<key>.tuning        which kernels, and with which parameters, were measured to be fastest
//
// Each is one line of header with length and SHA-256, then the content, which for
// all but programs is JSON. The keys are hashes over everything that decides whether
// the content holds: this module's version, platform name and version, device
// name and vendor, driver version, and for programs source, options and pointer
// size. Files are written beside their place and renamed, so any number of
// processes may share the folder. A file that is missing, damaged, of another
// version or refused by the driver is made anew, and a folder that cannot be
// written costs time and nothing else. Deleting the folder is always safe.
//
// In the cache folder of PoCL before 6, anycl-locks holds up to 256 empty files, by which processes
// that build the same program wait for each other. In that of version 3.1 anycl-linker-<key> is the
// linker of kernels: a script and three libraries of a line each.
//
// # Concurrency and lifetime
//
// Everything is safe for concurrent use. An [Opened] owns all that came from it; its Close also
// releases objects that were not closed. A context ends waiting and stops work that has not been
// submitted yet; work that is on a device cannot be recalled.
package platform

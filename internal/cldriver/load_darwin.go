//go:build darwin && (amd64 || arm64) && !noopencl

package cldriver

// Names lists the libraries to try, in order.
func Names() []string {
	return []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
}

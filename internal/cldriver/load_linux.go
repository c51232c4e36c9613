//go:build linux && (amd64 || arm64) && !noopencl

package cldriver

// Names lists the libraries to try, in order. The first is the loader that
// vendors' packages install; the plain .so comes only with development packages.
// The vendors' own libraries serve where there is no loader, if they export the
// functions, which Android's and some boards' do.
func Names() []string {
	return []string{
		"libOpenCL.so.1",
		"libOpenCL.so",
		"/vendor/lib64/libOpenCL.so",
		"/system/vendor/lib64/libOpenCL.so",
		"libnvidia-opencl.so.1",
		"libamdocl64.so",
		"libigdrcl.so",
		"libRusticlOpenCL.so.1",
		"libMaliOpenCL.so",
		"libmali.so",
	}
}

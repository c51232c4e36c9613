package facts

import "github.com/anycl/anycl/platform"

// dotUnitOf is the best that a device has proven, and the compiler's options for it.
// Extensions of CPU drivers compute one word at a time.
func dotUnitOf(isCPU bool, caps *platform.Caps) (unit, options string) {
	switch {
	case isCPU && caps.DotX86:
		return "x86", ""
	case isCPU && caps.DotVEX:
		return "vex", ""
	case isCPU && caps.DotAVX2:
		return "avx2", ""
	case isCPU:
		return "", ""
	case caps.DotPTX:
		return "ptx", ""
	case caps.DotAMD:
		return "amd", ""
	case caps.IntDot:
		return "khr", caps.IntDotOptions
	}
	return "", ""
}

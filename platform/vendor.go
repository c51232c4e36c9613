package platform

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/anycl/anycl/cl"
)

// Class is what kind of device it is. The order is the order of ranking.
type Class uint8

// Classes, best first.
const (
	GPU Class = iota
	CPU
	Accelerator
	Simulator // executes slowly in order to check, or not at all
)

var classNames = [...]string{"GPU", "CPU", "accelerator", "simulator"}

// String returns the class as people write it.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "unknown"
}

// MarshalText makes the class a word in JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText takes that word back. Errors: there is no such class.
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if name == string(text) {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("platform: there is no class %q", text)
}

// Vendor keys with a meaning of their own in this package.
const (
	keyPoCL     = "pocl"
	keyLLVMpipe = "llvmpipe"
	keyOclgrind = "oclgrind"
	keyNVIDIA   = "nvidia"
	keyAMD      = "amd"
	keyIntel    = "intel"
	keyApple    = "apple"
	keyARM      = "arm"
	keyQualcomm = "qualcomm"
)

// implementations are recognised by platform or device name before any vendor
// string, because their devices carry the name of the CPU's vendor.
var implementations = []struct{ text, key string }{
	{"oclgrind", keyOclgrind},
	{"llvmpipe", keyLLVMpipe},
	{"softpipe", keyLLVMpipe},
	{"portable computing language", keyPoCL},
	{"pocl", keyPoCL},
}

var vendors = []struct{ text, key string }{
	{"nvidia", keyNVIDIA},
	{"advanced micro devices", keyAMD},
	{"amd", keyAMD},
	{"intel", keyIntel},
	{"apple", keyApple},
	{"qualcomm", keyQualcomm},
	{"adreno", keyQualcomm},
	{"arm", keyARM},
	{"imagination", "imagination"},
	{"samsung", "samsung"},
	{"broadcom", "broadcom"},
	{"vivante", "vivante"},
	{"microsoft", "microsoft"},
	{"xilinx", "xilinx"},
}

// vendorKey gives the short name under which a device is asked for. Who made the
// hardware counts (an AMD GPU under rusticl is "amd"), except where the
// implementation is the device: PoCL, llvmpipe, Oclgrind.
func vendorKey(platform, vendor, device string) string {
	for _, text := range []string{platform, device} {
		text = strings.ToLower(text)
		for _, i := range implementations {
			if strings.Contains(text, i.text) {
				return i.key
			}
		}
	}
	for _, text := range []string{vendor, device, platform} {
		text = strings.ToLower(text)
		for _, v := range vendors {
			if containsWord(text, v.text) {
				return v.key
			}
		}
	}
	key := strings.ToLower(strings.Join(strings.FieldsFunc(vendor, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-"))
	if key == "" {
		return "unknown"
	}
	return key
}

// containsWord finds word at the start of a word of text: "arm" in "ARM Limited"
// and not in "Charm". Intel writes "Intel(R)", AMD "AuthenticAMD".
func containsWord(text, word string) bool {
	for i := 0; ; {
		j := strings.Index(text[i:], word)
		if j < 0 {
			return false
		}
		j += i
		if j == 0 || !unicode.IsLetter(rune(text[j-1])) || strings.HasPrefix(text, "authentic") {
			return true
		}
		i = j + len(word)
	}
}

// classOf classifies by what the device says it is and by what is known about
// the implementation: Oclgrind claims to be everything at once, and llvmpipe has
// claimed to be a GPU.
func classOf(key string, t cl.DeviceType, simulated bool) Class {
	switch {
	case key == keyOclgrind || simulated:
		return Simulator
	case key == keyLLVMpipe:
		return CPU
	case t&cl.DeviceGPU != 0:
		return GPU
	case t&cl.DeviceCPU != 0:
		return CPU
	}
	return Accelerator
}

// nullDriver reports whether the environment turns Intel's GPU driver into one
// that accepts everything and computes nothing. Source: the driver's debug keys
// SetCommandStreamReceiver and NEOReadDebugKeys, github.com/intel/compute-runtime.
func nullDriver(key string, getenv func(string) string) bool {
	if key != keyIntel || getenv("NEOReadDebugKeys") != "1" {
		return false
	}
	csr := getenv("SetCommandStreamReceiver")
	return csr != "" && csr != "0" && csr != "-1"
}

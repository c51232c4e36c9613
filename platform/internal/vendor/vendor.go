// Package vendor names the vendor of a device or a driver.
package vendor

import (
	"strings"
	"unicode"
)

// Keys with a meaning of their own. A key is the short name under which devices are asked for.
const (
	PoCL     = "pocl"
	LLVMpipe = "llvmpipe"
	Oclgrind = "oclgrind"
	NVIDIA   = "nvidia"
	AMD      = "amd"
	Intel    = "intel"
	Apple    = "apple"
	ARM      = "arm"
	Qualcomm = "qualcomm"
)

// implementations are recognised by platform or device name before any vendor
// string, because their devices carry the name of the CPU's vendor.
var implementations = []struct{ text, key string }{
	{"oclgrind", Oclgrind},
	{"llvmpipe", LLVMpipe},
	{"softpipe", LLVMpipe},
	{"portable computing language", PoCL},
	{"pocl", PoCL},
}

var vendors = []struct{ text, key string }{
	{"nvidia", NVIDIA},
	{"advanced micro devices", AMD},
	{"amd", AMD},
	{"intel", Intel},
	{"apple", Apple},
	{"qualcomm", Qualcomm},
	{"adreno", Qualcomm},
	{"arm", ARM},
	{"imagination", "imagination"},
	{"samsung", "samsung"},
	{"broadcom", "broadcom"},
	{"vivante", "vivante"},
	{"microsoft", "microsoft"},
	{"xilinx", "xilinx"},
}

// Key gives the short name under which a device is asked for. Who made the
// hardware counts (an AMD GPU under rusticl is "amd"), except where the
// implementation is the device: PoCL, llvmpipe, Oclgrind.
func Key(platform, vendor, device string) string {
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

// NullDriver reports whether the environment turns Intel's GPU driver into one
// that accepts everything and computes nothing. Source: the driver's debug keys
// SetCommandStreamReceiver and NEOReadDebugKeys, github.com/intel/compute-runtime.
func NullDriver(key string, getenv func(string) string) bool {
	if key != Intel || getenv("NEOReadDebugKeys") != "1" {
		return false
	}
	csr := getenv("SetCommandStreamReceiver")
	return csr != "" && csr != "0" && csr != "-1"
}

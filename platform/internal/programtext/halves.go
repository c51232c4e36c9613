package programtext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/clbuiltin"
)

var (
	halfWidths   = []int{4, 8, 16}
	halfRounding = []string{"", "_rte", "_rtz", "_rtp", "_rtn"}
)

const (
	loadHalves = "static inline float%[1]d __attribute__((overloadable)) anycl_vload_half%[1]d(size_t i, const %[2]s half *p) { " +
		"const ushort%[1]d v = vload%[1]d(i, (const %[2]s ushort *)p); return vload_half%[1]d(0, (const __private half *)&v); }"
	storeHalves = "static inline void __attribute__((overloadable)) anycl_vstore_half%[1]d%[4]s(%[3]s%[1]d v, size_t i, %[2]s half *p) { " +
		"ushort%[1]d w; vstore_half%[1]d%[4]s(v, 0, (__private half *)&w); vstore%[1]d(w, i, (%[2]s ushort *)p); }"
)

// HalfVectors are lines of the prelude that define those functions anew which load or store a vector of halves and which a program may
// call, so that they take the address of any half, as the specification demands. They go by way of a private vector, which is aligned.
// Source: OpenCL C 3.0, section 6.15.7.
func HalfVectors(source string) (lines []string) {
	pasted, named := pastesHalf(source), halfNames(source)
	has := func(name string) bool { return pasted || named[name] }
	for _, n := range halfWidths {
		if name := fmt.Sprintf("vload_half%d", n); has(name) {
			for _, space := range []string{"__global", "__constant", "__local", "__private"} {
				lines = append(lines, fmt.Sprintf(loadHalves, n, space))
			}
			lines = append(lines, "#undef "+name, "#define "+name+" anycl_"+name)
		}
		for _, rounding := range halfRounding {
			name := fmt.Sprintf("vstore_half%d%s", n, rounding)
			if !has(name) {
				continue
			}
			for _, of := range []string{"float", "double"} {
				if of == "double" {
					lines = append(lines, "#ifdef cl_khr_fp64")
				}
				for _, space := range []string{"__global", "__local", "__private"} {
					lines = append(lines, fmt.Sprintf(storeHalves, n, space, of, rounding))
				}
			}
			lines = append(lines, "#endif", "#undef "+name, "#define "+name+" anycl_"+name)
		}
	}
	return lines
}

// halfNames are the names in source that may be those of such functions, which one pass over it finds.
func halfNames(source string) map[string]bool {
	const middle = "_half"
	names := map[string]bool{}
	for {
		before, after, ok := strings.Cut(source, middle)
		if !ok {
			return names
		}
		end := 0
		for end < len(after) && clbuiltin.IsWord(after[end]) {
			end++
		}
		for _, begin := range []string{"vload", "vstore"} {
			if strings.HasSuffix(before, begin) {
				names[begin+middle+after[:end]] = true
			}
		}
		source = after
	}
}

// pastesHalf reports whether a macro of source may put the name of such a function together: beside ## is a part of one.
func pastesHalf(source string) bool {
	const most = len("vstore_half16_rte")
	parts := strings.Split(source, "##")
	for i, after := range parts[1:] {
		before := parts[i][strings.LastIndexByte(parts[i], '\n')+1:] // of the line
		after, _, _ = strings.Cut(after, "\n")
		near := before[max(len(before)-most, 0):] + " " + after[:min(len(after), most)]
		if slices.ContainsFunc([]string{"half", "vload_", "vstore_"}, func(part string) bool { return strings.Contains(near, part) }) {
			return true
		}
	}
	return false
}

// Package clbuiltin declares built-in functions of OpenCL C 1.2, for compilers that read them from a
// long header: Clang's opencl-c.h has 18,000 lines, and a driver that includes it spends most of a
// small program's build on it. Types and macros are in a header of their own, opencl-c-base.h, which
// stays.
package clbuiltin

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Without is the build option that makes Clang's header empty: its include guard.
const Without = "-D_OPENCL_H_"

// head is the text before the declarations.
const head = `#ifdef cl_khr_fp16
#error functions of half are not declared
#endif
#define PLAIN __attribute__((overloadable))
#define PURE __attribute__((pure)) PLAIN
#define CONST __attribute__((const)) PLAIN
#define CONVERGENT __attribute__((convergent)) PLAIN
`

const foot = `#undef PLAIN
#undef PURE
#undef CONST
#undef CONVERGENT
`

// Declare returns declarations to put before a source in place of Clang's header: every overload of each built-in
// function whose name is a word of the source, and where macros put names together, whose name begins with one. Other
// functions do not exist then: a source that calls one by a name of other parts does not build, and neither does anything
// for a device that computes in half. Where a source builds, it means the same as with the whole header. ok is false for
// sources that may need functions that are never declared: images, copies of work-groups and shuffles.
func Declare(source string) (text string, ok bool) {
	var b strings.Builder
	b.WriteString(head)
	var double []string
	names := words(source)
	if slices.ContainsFunc(names, isOther) {
		return "", false
	}
	if strings.Contains(source, "##") {
		names = withPasted(names)
	}
	for _, name := range names {
		for _, f := range forms(name) {
			for d := range f.all(name) {
				if strings.Contains(d, "double") {
					double = append(double, d)
				} else {
					b.WriteString(d)
				}
			}
		}
	}
	b.WriteString("#ifdef cl_khr_fp64\n")
	for _, d := range double {
		b.WriteString(d)
	}
	b.WriteString("#endif\n" + foot)
	return b.String(), true
}

// withPasted adds the functions that ## may make of words of a source: those that begin with one, as vload4 does with vload and
// convert_int4 with convert_int. A word that is a function itself is no other's beginning.
func withPasted(names []string) []string {
	all := slices.Clone(names)
	for _, begin := range names {
		switch _, converts := conversion(begin); {
		case converts:
			for _, n := range []string{"2", "3", "4", "8", "16"} {
				all = append(all, begin+n)
			}
		case len(begin) > 2 && len(table()[begin]) == 0:
			for name := range table() {
				if strings.HasPrefix(name, begin) {
					all = append(all, name)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isOther reports whether a word is a built-in function or type that this package does not declare.
func isOther(word string) bool {
	for _, begin := range []string{"read_image", "write_image", "get_image", "image1d", "image2d", "image3d", "async_work_group"} {
		if strings.HasPrefix(word, begin) {
			return true
		}
	}
	return word == "shuffle" || word == "shuffle2" || word == "wait_group_events"
}

// forms returns the forms of a function, none where it is no function of this package.
func forms(name string) []form {
	if f, ok := conversion(name); ok {
		return []form{f}
	}
	return table()[name]
}

// table has the forms of functions by name.
var table = sync.OnceValue(func() map[string][]form {
	t := map[string][]form{}
	for _, f := range families() {
		for _, name := range strings.Fields(f.names) {
			t[name] = append(t[name], f.form)
		}
	}
	return t
})

// words returns the words of a text outside comments, each once.
func words(text string) []string {
	seen := map[string]bool{}
	for text != "" {
		code, rest, _ := strings.Cut(text, "/")
		for begin := 0; begin < len(code); {
			end := begin
			for end < len(code) && IsWord(code[end]) {
				end++
			}
			if end > begin {
				seen[code[begin:end]] = true
			}
			begin = end + 1
		}
		switch {
		case strings.HasPrefix(rest, "/"):
			_, rest, _ = strings.Cut(rest, "\n")
		case strings.HasPrefix(rest, "*"):
			_, rest, _ = strings.Cut(rest[1:], "*/")
		}
		text = rest
	}
	return slices.Sorted(maps.Keys(seen))
}

// IsWord reports whether c may stand in a name or a number.
func IsWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

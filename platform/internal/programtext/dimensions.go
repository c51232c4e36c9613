package programtext

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/clsource"
)

// SizesOutside defines the functions that give the extents of a launch anew, so that they give 1
// for dimensions that no launch has, as the specification demands. Every line is a line of the prelude.
// Source: OpenCL C 3.0, section 6.15.1.
var SizesOutside = []string{
	"static inline size_t anycl_global_size(uint d) { return d < 3 ? get_global_size(d) : 1; }",
	"static inline size_t anycl_local_size(uint d) { return d < 3 ? get_local_size(d) : 1; }",
	"static inline size_t anycl_num_groups(uint d) { return d < 3 ? get_num_groups(d) : 1; }",
	"#define get_global_size(d) anycl_global_size(d)",
	"#define get_local_size(d) anycl_local_size(d)",
	"#define get_num_groups(d) anycl_num_groups(d)",
	"#if __OPENCL_C_VERSION__ >= 200",
	"#define get_enqueued_local_size(d) anycl_local_size(d)",
	"#endif",
}

var extents = []string{"get_global_size", "get_local_size", "get_num_groups", "get_enqueued_local_size"}

// AsksOutside reports whether a program may ask for the extent of a dimension that no launch
// has: its argument is not the number of one, or the text does not tell.
func AsksOutside(source string) bool {
	text := strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\\\n", "") // lines that go on
	has := func(s string) bool { return strings.Contains(text, s) }
	switch { // found in a tenth of the time that tokens take
	case has("##"): // also where that is in a comment
		return true
	case !has("include") && !slices.ContainsFunc(extents, has):
		return false
	}
	tokens, err := clsource.Tokens(source)
	if err != nil {
		return true
	}
	for i, t := range tokens {
		if t.Directive && t.Text == "include" {
			return true
		}
		if !slices.Contains(extents, t.Text) {
			continue
		}
		if i+3 >= len(tokens) || tokens[i+1].Text != "(" || tokens[i+3].Text != ")" ||
			!slices.Contains([]string{"0", "1", "2"}, tokens[i+2].Text) {
			return true
		}
	}
	return false
}

package hostrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/clsource"
)

// A caller's own kernel whose launch is divided among threads must not notice: each part is a
// launch of its own, and the driver's work-item functions tell of the part. CustomHead replaces
// those that a replacement is exact for. Which functions a kernel names is read off its text, and
// where that leaves a doubt the launch is not divided.

// workItemFunctions are those that CustomHead defines or that mean the same in a part as in the
// whole: a part is made of whole work-groups. Kernels that name others beginning with get_ are
// not divided.
var workItemFunctions = []string{
	"get_work_dim", "get_global_size", "get_global_id", "get_local_size", "get_enqueued_local_size", "get_local_id",
	"get_num_groups", "get_group_id", "get_global_offset", "get_global_linear_id", "get_local_linear_id",
}

// reservedWords begin names by which a program reaches the functions that the replacements hide, or
// the parts of the replacements: sub-group and device-side launch functions, work-group functions
// that a driver builds on its own work-item functions, mangled names, and variables of PoCL.
var reservedWords = []string{
	"get_", "near_", "NEAR_", "sub_group_", "intel_sub_group", "work_group_", "enqueue_", "ndrange_", "__builtin_", "push_macro", "pop_macro",
	"_Z", "_pocl", "pocl_", "_work_dim", "_num_groups", "_group_id", "_global_", "_local_",
}

// stringWords are followed by a string, which may hold the name of any function or a directive. Strings are not read.
var stringWords = []string{"asm", "__asm", "__asm__", "alias", "__alias__", "ifunc", "__ifunc__", "weakref", "__weakref__"}

// plainPragma is _Pragma with a string that names no function and no macro. Few sources have one, and compiling an expression
// takes memory, so that it is done when one is met.
var plainPragma = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b_Pragma\s*\(\s*"\s*(?:unroll|nounroll|GCC unroll|clang loop|OPENCL)\b[^"\\]*"\s*\)`)
})

// instruction begins the names of a processor's instructions, which are harmless.
const instruction = "__builtin_ia32_"

// plainWords begin like reservedWords and are harmless.
var plainWords = []string{
	"work_group_barrier", "__builtin_nontemporal_store", "__builtin_nontemporal_load", "__builtin_prefetch",
	"__builtin_convertvector", "__builtin_shufflevector",
}

// headWords are names that a macro defined by an option must not have, because the head contains them.
var headWords = []string{"static", "inline", "const", "return", "uint", "size_t", "void", "d", "define", "if", "elif", "else",
	"endif", "line"}

// plainOption reports whether the compiler's option does not change the text of a program.
func plainOption(o string) bool {
	return strings.HasPrefix(o, "-cl-") || strings.HasPrefix(o, "-I") || o == "-w" || o == "-Werror"
}

// Indivisible says why the launch of a kernel must not be divided: the part of its source or
// options that may tell a part of a launch from the whole. "" where nothing does.
func Indivisible(source, options string) string {
	tokens, err := clsource.Tokens(source)
	if err != nil {
		return "its text cannot be read without a preprocessor"
	}
	if o := undividedOption(strings.Fields(options)); o != "" {
		return "there is the option " + o
	}
	pragmas, plain := 0, 0
	if n := strings.Count(source, "_Pragma"); n > 0 && n == len(plainPragma().FindAllString(source, -1)) {
		plain = n // otherwise some are not, or stand in a comment
	}
	for i, t := range tokens {
		switch {
		case t.Text == "##":
			return fmt.Sprintf("line %d makes names by ##", t.Line)
		case t.Directive && (t.Text == "include" || t.Text == "include_next" || t.Text == "import"):
			return fmt.Sprintf("line %d includes other text", t.Line)
		case t.Text == "_Pragma":
			if pragmas++; pragmas > plain {
				return fmt.Sprintf("line %d has a _Pragma", t.Line)
			}
		case slices.Contains(workItemFunctions, t.Text):
			if !called(tokens, i) {
				return fmt.Sprintf("line %d names %s other than in a call", t.Line, t.Text)
			}
		case reserved(t.Text):
			return fmt.Sprintf("line %d names %s", t.Line, t.Text)
		}
	}
	return ""
}

// undividedOption is the first of the compiler's options that may change which functions a text names.
func undividedOption(options []string) string {
	for i := 0; i < len(options); i++ {
		o := options[i]
		macro, defines := strings.CutPrefix(o, "-D")
		if macro == "" && i+1 < len(options) { // "-D name"
			i++
			macro = options[i]
		}
		if !defines {
			if !plainOption(o) {
				return o
			}
			continue
		}
		name, value, _ := strings.Cut(macro, "=")
		tokens, err := clsource.Tokens(value)
		own := func(word string) bool { return reserved(word) || slices.Contains(workItemFunctions, word) }
		if err != nil || own(name) || slices.Contains(headWords, name) ||
			slices.ContainsFunc(tokens, func(t clsource.Token) bool { return own(t.Text) || t.Text == "##" }) {
			return o
		}
	}
	return ""
}

// reserved reports whether the word may reach functions that CustomHead hides.
func reserved(word string) bool {
	if slices.Contains(stringWords, word) {
		return true
	}
	return !slices.Contains(plainWords, word) && !slices.Contains(workItemFunctions, word) && !strings.HasPrefix(word, instruction) &&
		slices.ContainsFunc(reservedWords, func(p string) bool { return strings.HasPrefix(word, p) })
}

// called reports whether the name at i is called there, and not declared, defined, tested for, or
// handed to a macro.
func called(tokens []clsource.Token, i int) bool {
	if i+1 == len(tokens) || tokens[i+1].Text != "(" || tokens[i+1].Directive != tokens[i].Directive {
		return false
	}
	if i == 0 || !tokens[i-1].Word() {
		return i == 0 || tokens[i-1].Text != "#"
	}
	switch tokens[i-1].Text {
	case "return", "else", "do", "case":
		return true
	}
	return i > 1 && tokens[i-2].Text == "define" && tokens[i-2].Directive // the text of a macro
}

// CustomHead is the text before the program of a caller's kernel on the inline device, in place of PartHead:
// with it every function of workItemFunctions returns in a part the same as in the whole launch, for any
// argument. Arguments are evaluated once. As in PartHead, offsets 0 and 1 of the launch are the numbers
// of groups in those dimensions, and offset 2 is the first group of the part; the number of dimensions
// and the size of the third, 1 without one, are written into the program. There are no branches before
// the divisions: compilers take them out of their loops over work-items only then.
//
// Functions that OpenCL C 1.2 does not have are declared only from 2.0 on, as without the head. Drivers err for
// dimensions above 2, PoCL 3.1 gives 0 for sizes there, so that nothing is left to them.
// Source: OpenCL C 3.0, section 6.15.1.
func CustomHead(dims, depth int) string {
	return fmt.Sprintf("#define NEAR_DIMS %d\n#define NEAR_DEPTH %d\n", dims, depth) + ownHeadText
}

const ownHeadText = `static inline uint near_dims(void) { return NEAR_DIMS; }
static inline size_t near_offset(uint d) { return 0; }
static inline size_t near_local_size(uint d) { return d < 3 ? get_local_size(d) : 1; }
static inline size_t near_groups(uint d) { return d < 2 ? get_global_offset(d) : d == 2 ? NEAR_DEPTH / get_local_size(2) : 1; }
static inline size_t near_group(uint d) {
    const uint near_g = (uint)get_global_offset(2) + (uint)get_group_id(2);
#if NEAR_DIMS == 1
    return d == 0 ? near_g : 0;
#else
    const uint near_n = (uint)get_global_offset(0), near_row = near_g / near_n;
#if NEAR_DIMS == 2
    return d == 0 ? near_g - near_row * near_n : d == 1 ? near_row : 0;
#else
    const uint near_m = (uint)get_global_offset(1), near_plane = near_row / near_m;
    return d == 0 ? near_g - near_row * near_n : d == 1 ? near_row - near_plane * near_m : d == 2 ? near_plane : 0;
#endif
#endif
}
static inline size_t near_id(uint d) { return near_group(d) * near_local_size(d) + get_local_id(d); }
static inline size_t near_size(uint d) { return near_groups(d) * near_local_size(d); }
static inline size_t near_linear_id(void) {
    return (near_id(2) * near_size(1) + near_id(1)) * near_size(0) + near_id(0);
}
#undef get_local_size
#undef get_num_groups
#undef get_global_size
#undef get_enqueued_local_size
#define get_work_dim() near_dims()
#define get_global_offset(d) near_offset(d)
#define get_local_size(d) near_local_size(d)
#define get_num_groups(d) near_groups(d)
#define get_group_id(d) near_group(d)
#define get_global_id(d) near_id(d)
#define get_global_size(d) near_size(d)
#if __OPENCL_C_VERSION__ >= 200
#define get_enqueued_local_size(d) near_local_size(d)
#define get_global_linear_id() near_linear_id()
#endif
#line 1
`

package hostrun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/kernels"
)

func body(text string) string { return "kernel void k(global int *y) {\n" + text + "\n}" }

func TestKernelsAreDividedWhoseFunctionsAreReplacedExactly(t *testing.T) {
	for _, source := range []string{
		body("y[get_global_id(0)] = get_global_id(get_work_dim() - 1);"),
		body("y[get_global_linear_id()] = get_num_groups(3) + get_enqueued_local_size(0) + get_local_linear_id();"),
		"#define I get_global_id(0)\n#define OF(d) (get_group_id(d) + get_local_size(d))\n" + body("y[I] = OF(1);"),
		"// get_sub_group_id, a ## b\n/* #include \"get_global_id\" */\n" + body("printf(\"get_sub_group_id ##\");\nreturn get_global_id(0);"),
		body("float16 x = *(float16 *)y; *(float16 *)y = __builtin_ia32_rsqrt14ps512_mask(x, x, 0xffff);"),
		body("__builtin_prefetch(y + get_global_id(0), 1);"),
		body("y[get_global_id(0)] = __builtin_convertvector((float4)(y[0]), int4).x + __builtin_shufflevector((int2)(1), (int2)(2), 0, 2).x;"),
		body("__builtin_nontemporal_store(__builtin_nontemporal_load(y + 1), y + get_global_id(0));"),
		body("work_group_barrier(CLK_LOCAL_MEM_FENCE); y[get_glo\\\nbal_id(0)] = 1;"),
		"#define EVERY _Pragma(\"unroll 4\")\n" + body("EVERY for (int i = 0; i < 4; i++) y[i] = get_global_id(0);"),
		kernels.Text("custom/any_store_row.cl"),
	} {
		require.Empty(t, Indivisible(source, "-cl-std=CL3.0 -DN=4 -D M=3 -w -cl-mad-enable"), source)
	}
}

func TestKernelsThatMayTellAPartFromTheWholeAreNotDivided(t *testing.T) {
	for source, why := range map[string]string{
		body("y[0] = get_sub_group_id();"):                                 "line 2 names get_sub_group_id",
		body("y[0] = get_num_sub_groups();"):                               "line 2 names get_num_sub_groups",
		body("y[0] = sub_group_reduce_add(1);"):                            "line 2 names sub_group_reduce_add",
		body("y[0] = work_group_reduce_add(1);"):                           "line 2 names work_group_reduce_add",
		body("y[0] = get_of_mine(0);"):                                     "line 2 names get_of_mine",
		"#define ID(x) get_ ## x(0)\n" + body("y[0] = ID(global_id);"):     "line 1 names get_",
		"#include \"ids.h\"\n" + body("y[0] = 1;"):                         "line 1 includes other text",
		"#define ID get_global_id\n" + body("y[0] = ID(0);"):               "line 1 names get_global_id other than in a call",
		"#define CALL(f) f(0)\n" + body("y[0] = CALL(get_global_id);"):     "line 3 names get_global_id other than in a call",
		body("y[0] = (get_global_id)(0);"):                                 "line 2 names get_global_id other than in a call",
		"#undef get_global_id\n" + body("y[0] = get_global_id(0);"):        "line 1 names get_global_id other than in a call",
		"#undef get_global_id\n(0)\n" + body("y[0] = 1;"):                  "line 1 names get_global_id other than in a call",
		"#define get_global_id(d) 5\n" + body("y[0] = get_global_id(0);"):  "line 1 names get_global_id other than in a call",
		"size_t get_global_id(uint d);\n" + body("y[0] = 1;"):              "line 1 names get_global_id other than in a call",
		"#ifdef get_global_id\n#endif\n" + body("y[0] = 1;"):               "line 1 names get_global_id other than in a call",
		"ulong _Z13get_global_idj(uint);\n" + body("y[0] = 1;"):            "line 1 names _Z13get_global_idj",
		"int near_id(int);\n" + body("y[0] = 1;"):                          "line 1 names near_id",
		body("y[0] = ge\\u0074_global_id(0);"):                             "its text cannot be read without a preprocessor",
		"#define ID(x) get_ ??=??= x(0)\n" + body("y[0] = ID(global_id);"): "its text cannot be read without a preprocessor",
		"#pragma push_macro(\"get_global_id\")\n" + body("y[0] = 1;"):      "line 1 names push_macro",
	} {
		require.Equal(t, why, Indivisible(source, ""), source)
	}
	for _, options := range []string{"-DID=get_sub_group_id()", "-D ID=get_global_id(0)", "-Dget_global_id=mine", "-Dd=3", "-Duint=int",
		"-include x.h", "-DX=a##b", "-DX='a"} {
		require.Contains(t, Indivisible(body("y[0] = 1;"), options), "the option", options)
	}
}

func TestKernelsThatNameFunctionsInStringsAreNotDivided(t *testing.T) {
	for _, c := range [][2]string{
		{
			"ulong mine(uint) __asm__(\"_Z13get_global_idj\");\n" + body("y[0] = mine(0);"),
			"line 1 names __asm__",
		},
		{
			"ulong mine(uint) __attribute__((alias(\"get_global_id\")));\n" + body("y[0] = mine(0);"),
			"line 1 names alias",
		},
		{
			"_Pragma(\"push_macro(\\\"get_global_id\\\")\")\n" + body("y[0] = get_global_id(0);"),
			"line 1 has a _Pragma",
		},
		{
			"_Pragma(\"unroll\")\n_Pra\\\ngma(\"weak a = get_global_id\")\n" + body("y[0] = 1;"),
			"line 2 has a _Pragma",
		},
	} {
		require.Equal(t, c[1], Indivisible(c[0], ""), c[0])
	}
}

func TestWorkGroupsThatAreLeftOpenFillTheFirstDimensions(t *testing.T) {
	for _, c := range []struct {
		r    cl.Range
		most int
		want [3]int
	}{
		{cl.Range{Dims: 1, Global: [3]int{1 << 20}}, 4096, [3]int{4096, 1, 1}},
		{cl.Range{Dims: 1, Global: [3]int{1000}}, 4096, [3]int{125, 1, 1}},
		{cl.Range{Dims: 1, Global: [3]int{1}}, 4096, [3]int{1, 1, 1}},
		{cl.Range{Dims: 2, Global: [3]int{512, 512}}, 4096, [3]int{512, 8, 1}},
		{cl.Range{Dims: 2, Global: [3]int{509, 509}}, 4096, [3]int{509, 1, 1}},
		{cl.Range{Dims: 2, Global: [3]int{2, 4096}}, 4096, [3]int{2, 64, 1}},
		{cl.Range{Dims: 2, Global: [3]int{512, 512}}, 64, [3]int{64, 1, 1}},
		{cl.Range{Dims: 3, Global: [3]int{31, 31, 31}}, 4096, [3]int{31, 1, 1}},
		{cl.Range{Dims: 3, Global: [3]int{4, 4, 4}}, 4096, [3]int{4, 4, 4}},
		{cl.Range{Dims: 1, Global: [3]int{64}}, 0, [3]int{1, 1, 1}},
	} {
		require.Equal(t, c.want, WorkGroup(c.r, c.most), "%+v", c.r)
	}
}

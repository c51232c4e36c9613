package codegen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryFunctionOfAPartGetsANameOfItsOwn(t *testing.T) {
	for _, c := range []struct{ text, name string }{
		{"static inline float value_hook(const int i) {", "value_hook"},
		{"static inline ulong philox_long(const uint hi) {", "philox_long"},
		{"static inline void transpose(VT *r) {", "transpose"},
		{"kernel void map_block(PARAMS) {", "map_block"},
		{"__kernel void contract_item(PARAMS) {", "contract_item"},
		{"__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))\nvoid contract_row(PARAMS) {", "contract_row"},
		{"kernel __attribute__((reqd_work_group_size(1, 1, 1))) void f(PARAMS) {", "f"},
		{"typedef float16 VECTOR __attribute__((aligned(4)));", "VECTOR"},
		{"typedef float16 __attribute__((aligned(4))) VECTOR;", "VECTOR"},
		{"typedef struct { float a; float b; } pair;", "pair"},
	} {
		assert.Equal(t, []string{c.name}, distinct(c.text, functionName))
	}
	assert.Empty(t, distinct("    const float v = exp(x);\n    if (x) return f(x);\n", functionName))
	p := &Program{Name: "x", Body: "#define A 1\n # define B(x) x\nkernel void k(PARAMS) {}\n"}
	text := Join([]*Program{p, p})
	for _, want := range []string{"#define k k_0", "#define k k_1", "#undef A", "#undef B", "#undef k"} {
		assert.Contains(t, text, want)
	}
}

func TestMacrosAreKnownByTheirDefinitions(t *testing.T) {
	for line, want := range map[string]string{
		"#define A 1\n": "A", " # define B_2(x) x\n": "B_2", "#\tdefine\tc": "c", "#define\n": "", "#defined A\n": "", "define A\n": "",
		"#undef A\n": "", "x = 1; #define A": "",
	} {
		assert.Equal(t, want, macroName(line), line)
	}
}

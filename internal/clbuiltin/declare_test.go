package clbuiltin

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFunctionsAreDeclaredByTheNamesInASource(t *testing.T) {
	text, ok := Declare("kernel void f(global float *x) { x[get_global_id(0)] = ldexp(x[0], 2) /* fmin */ / fmax(1, 2); } // fma\n")
	require.True(t, ok)
	for _, want := range []string{
		"CONST size_t get_global_id(uint);\n",
		"CONST float ldexp(float, int);\n", "CONST float16 ldexp(float16, int16);\n", "CONST float3 ldexp(float3, int);\n",
		"CONST double2 ldexp(double2, int2);\n", "CONST float2 fmax(float2, float);\n",
	} {
		assert.Contains(t, text, want)
	}
	for _, other := range []string{"get_local_id", "fmin", "fma"} {
		assert.NotContains(t, text, " "+other+"(")
	}
	plain, double, _ := strings.Cut(text, "#ifdef cl_khr_fp64\n")
	assert.NotContains(t, plain, "double")
	assert.Contains(t, double, "#endif\n")
	for _, other := range []string{"read_imagef(i, s, 0)", "image2d_t i", "async_work_group_copy(a, b, 1, 0)", "shuffle2(a, b, c)"} {
		_, ok := Declare(other)
		assert.False(t, ok, other)
	}
}

func TestFunctionsThatMacrosMayNameAreDeclared(t *testing.T) {
	const source = "#define J(a, b) a%sb\n#define ID(of) get_%sof%s_id(0)\nfloat4 f(global float *x) { return J(vload, 4)(ID(global), x) + J(convert_float, 4)(max(1, 2)); }\n"
	for mark, pasted := range map[string]bool{"##": true, " ": false} {
		text, ok := Declare(strings.ReplaceAll(source, "%s", mark))
		require.True(t, ok)
		for _, name := range []string{"vload4", "get_global_id", "convert_float4"} {
			assert.Equal(t, pasted, strings.Contains(text, " "+name+"("), "%s with %q", name, mark)
		}
		assert.Contains(t, text, " max(")
		assert.NotContains(t, text, " maxmag(", "max is a function itself")
	}
}

func TestConversionsAreKnownByTheirNames(t *testing.T) {
	for name, known := range map[string]bool{
		"convert_float": true, "convert_uchar16_sat_rte": true, "convert_double3_rtz": true, "convert_int_sat": true,
		"convert_float_sat": false, "convert_half": false, "convert_float5": false, "convert_float04": false,
		"convert_int_rte_sat": false, "convert": false, "convert_": false, "convert_float1": false, "convert_int_rtx": false,
	} {
		_, ok := conversion(name)
		assert.Equal(t, known, ok, name)
	}
}

// The declarations, with attributes and for every type, equal those of Clang's header, in the
// version that PoCL ships, with PoCL's additions.
func TestDeclarationsAreThoseOfTheHeader(t *testing.T) {
	const dir = "/usr/share/pocl/include"
	if _, err := os.Stat(filepath.Join(dir, "opencl-c.h")); err != nil {
		t.Skip("PoCL's headers are not here")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler to preprocess with")
	}
	whole := declarations(t, dir, `
#define _CL_OVERLOADABLE __attribute__((overloadable))
#define _CL_READNONE __attribute__((const))
#include "_clang_opencl.h"
`)
	require.Greater(t, len(whole), 700)
	known := slices.Collect(maps.Keys(table()))
	for name := range whole {
		if _, ok := conversion(name); ok {
			known = append(known, name)
		}
	}
	require.Greater(t, len(known), 700)
	text, ok := Declare(strings.Join(known, " "))
	require.True(t, ok)
	ours := declarations(t, dir, text)
	for _, name := range known {
		if !slices.Equal(whole[name], ours[name]) {
			t.Errorf("%s\nthe header: %q\nhere: %q", name, whole[name], ours[name])
		}
	}
}

var (
	attribute = regexp.MustCompile(`__attribute__\(\(([^()]*(\([^()]*\))?[^()]*)\)\)`)
	function  = regexp.MustCompile(`^(\w+) (\w+) ?\((.*)\)$`)
	mark      = regexp.MustCompile(` ?([*,()]) ?`)
	parameter = regexp.MustCompile(`^((?:const |volatile |__\w+ )*\w+\*?(?: const)?)(?:(?:^|[ *])?\b\w+)?$`)
)

// declarations are those in a text, by name, in one way of writing them and sorted.
func declarations(t *testing.T, dir, text string) map[string][]string {
	file := filepath.Join(t.TempDir(), "text.c")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	args := []string{"-E", "-P", "-undef", "-I", dir, "-D__OPENCL_C_VERSION__=120", "-DCL_VERSION_1_0=100", "-DCL_VERSION_1_1=110", "-DCL_VERSION_1_2=120",
		"-include", "opencl-c-base.h", "-DCL_VERSION_2_0=200", "-DCL_VERSION_3_0=300", "-D__SIZE_TYPE__=ulong"}
	for _, extension := range strings.Fields("fp64 int64_base_atomics int64_extended_atomics global_int32_base_atomics " +
		"global_int32_extended_atomics local_int32_base_atomics local_int32_extended_atomics") {
		args = append(args, "-Dcl_khr_"+extension)
	}
	out, err := exec.Command("cc", append(args, file)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	all := map[string][]string{}
	for d := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == ';' || r == '\n' }) {
		var attributes []string
		for _, a := range attribute.FindAllStringSubmatch(d, -1) {
			attributes = append(attributes, a[1])
		}
		slices.Sort(attributes)
		d = strings.Join(strings.Fields(attribute.ReplaceAllString(d, " ")), " ")
		d = mark.ReplaceAllString(d, "$1")
		m := function.FindStringSubmatch(d)
		if m == nil || len(attributes) == 0 {
			continue
		}
		operands := strings.Split(m[3], ",")
		for i, p := range operands {
			p = strings.ReplaceAll(strings.ReplaceAll(p, "const __constant", "__constant const"), "const __private", "__private const")
			operands[i] = strings.TrimSpace(p)
			if q := parameter.FindStringSubmatch(operands[i]); q != nil {
				operands[i] = q[1]
			}
		}
		all[m[2]] = append(all[m[2]], strings.Join(attributes, " ")+" "+m[1]+"("+strings.Join(operands, ", ")+")")
	}
	for name, of := range all {
		slices.Sort(of)
		all[name] = slices.Compact(of)
	}
	return all
}

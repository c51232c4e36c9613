package clbuiltin

import (
	"slices"
	"strconv"
	"strings"
)

// family are functions that have a form in common; a function may be in several.
// Source: The OpenCL C Specification, version 1.2, section 6.12.
type family struct {
	names string
	form
}

// families are all.
func families() []family {
	return slices.Concat(functions(), atomics(), memory())
}

// functions are the functions whose forms are written out here.
func functions() []family {
	return []family{
		// Work-items (6.12.1), synchronization (6.12.8, 6.12.9), output (6.12.13).
		{"get_work_dim", form{text: "CONST uint F(void)"}},
		{"get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset",
			form{text: "CONST size_t F(uint)"}},
		{"barrier", form{text: "CONVERGENT void F(cl_mem_fence_flags)"}},
		{"mem_fence read_mem_fence write_mem_fence", form{text: "PLAIN void F(cl_mem_fence_flags)"}},
		{"printf", form{text: "int F(__constant const char *, ...) __attribute__((format(printf, 1, 2)))"}},

		// Mathematics (6.12.2) and common functions (6.12.4).
		{"acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 " +
			"expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi " +
			"tgamma trunc degrees radians sign", form{floats, every, "CONST T F(T)"}},
		{"atan2 atan2pi copysign fdim fmod hypot maxmag minmag nextafter pow powr remainder fmax fmin",
			form{floats, every, "CONST T F(T, T)"}},
		{"fmax fmin", form{floats, vectors, "CONST T F(T, S)"}},
		{"fma mad", form{floats, every, "CONST T F(T, T, T)"}},
		{"fract modf sincos", form{floats, every, "PLAIN T F(T, A T *)"}},
		{"frexp lgamma_r", form{floats, every, "PLAIN T F(T, A I *)"}},
		{"remquo", form{floats, every, "PLAIN T F(T, T, A I *)"}},
		{"ilogb", form{floats, every, "CONST I F(T)"}},
		{"ldexp pown rootn", form{floats, every, "CONST T F(T, I)"}},
		{"ldexp", form{floats, vectors, "CONST T F(T, int)"}},
		{"nan", form{floats, every, "CONST T F(U)"}},
		{"half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin " +
			"half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 " +
			"native_recip native_rsqrt native_sin native_sqrt native_tan", form{"float", every, "CONST T F(T)"}},
		{"half_divide half_powr native_divide native_powr", form{"float", every, "CONST T F(T, T)"}},
		{"mix smoothstep", form{floats, every, "CONST T F(T, T, T)"}},
		{"mix", form{floats, vectors, "CONST T F(T, T, S)"}},
		{"smoothstep", form{floats, vectors, "CONST T F(S, S, T)"}},
		{"step", form{floats, every, "CONST T F(T, T)"}},
		{"step", form{floats, vectors, "CONST T F(S, T)"}},

		// Integers (6.12.3), and functions of both kinds.
		{"add_sat hadd rhadd mul_hi rotate sub_sat", form{integers, every, "CONST T F(T, T)"}},
		{"clz popcount", form{integers, every, "CONST T F(T)"}},
		{"mad_hi mad_sat", form{integers, every, "CONST T F(T, T, T)"}},
		{"abs", form{integers, every, "CONST U F(T)"}},
		{"abs_diff", form{integers, every, "CONST U F(T, T)"}},
		{"mul24", form{"int uint", every, "CONST T F(T, T)"}},
		{"mad24", form{"int uint", every, "CONST T F(T, T, T)"}},
		{"upsample", form{"char uchar short ushort int uint", every, "CONST D F(T, U)"}},
		{"max min", form{numbers, every, "CONST T F(T, T)"}},
		{"max min", form{numbers, vectors, "CONST T F(T, S)"}},
		{"clamp", form{numbers, every, "CONST T F(T, T, T)"}},
		{"clamp", form{numbers, vectors, "CONST T F(T, S, S)"}},

		// Geometry (6.12.5), with PoCL's additions: more elements, and double.
		{"cross", form{floats, []int{3, 4}, "CONST T F(T, T)"}},
		{"dot", form{floats, every, "CONST S F(T, T)"}},
		{"distance", form{floats, upToFour, "CONST S F(T, T)"}},
		{"length", form{floats, every, "CONST S F(T)"}},
		{"normalize", form{floats, every, "CONST T F(T)"}},
		{"fast_distance", form{"float", upToFour, "CONST S F(T, T)"}},
		{"fast_length", form{floats, every, "CONST S F(T)"}},
		{"fast_normalize", form{"float", every, "CONST T F(T)"}},
		{"fast_normalize", form{"double", []int{8, 16}, "CONST T F(T)"}},

		// Relations (6.12.6).
		{"isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered",
			form{floats, every, "CONST R F(T, T)"}},
		{"isfinite isinf isnan isnormal signbit", form{floats, every, "CONST R F(T)"}},
		{"any all", form{"char short int long", every, "CONST int F(T)"}},
		{"bitselect", form{numbers, every, "CONST T F(T, T, T)"}},
		{"select", form{numbers, every, "CONST T F(T, T, G)"}},
		{"select", form{numbers, every, "CONST T F(T, T, U)"}},
		{"prefetch", form{numbers, every, "PLAIN void F(const __global T *, size_t)"}},
	}
}

// atomics are the functions of 6.12.11, and those of OpenCL 1.0's extensions, which also know 64 bits.
func atomics() (all []family) {
	for _, a := range []struct{ names, operands string }{
		{"inc dec", ""},
		{"add sub xchg min max and or xor", ", T"},
		{"cmpxchg", ", T, T"},
	} {
		for _, name := range strings.Fields(a.names) {
			for _, space := range []string{"__global", "__local"} {
				text := "PLAIN T F(volatile " + space + " T *" + a.operands + ")"
				all = append(all, family{"atomic_" + name, form{"int uint", scalarOnly, text}},
					family{"atom_" + name, form{"int uint long ulong", scalarOnly, text}})
				if name == "xchg" {
					all = append(all, family{"atomic_" + name, form{"float", scalarOnly, text}})
				}
			}
		}
	}
	return all
}

// memory are loads and stores of vectors (6.12.7).
func memory() (all []family) {
	for _, n := range every {
		half := "_half"
		if n > 1 {
			of := strconv.Itoa(n)
			half += of
			all = append(all,
				family{"vload" + of, form{numbers, []int{n}, "PURE T F(size_t, const C S *)"}},
				family{"vstore" + of, form{numbers, []int{n}, "PLAIN void F(T, size_t, A S *)"}},
				family{"vloada" + half, form{"float", []int{n}, "PURE T F(size_t, const C half *)"}})
		}
		all = append(all, family{"vload" + half, form{"float", []int{n}, "PURE T F(size_t, const C half *)"}})
		for _, mode := range []string{"", "_rte", "_rtz", "_rtp", "_rtn"} {
			store := form{floats, []int{n}, "PLAIN void F(T, size_t, A half *)"}
			all = append(all, family{"vstore" + half + mode, store})
			if n > 1 {
				all = append(all, family{"vstorea" + half + mode, store})
			}
		}
	}
	return all
}

package blas_test

import (
	"testing"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// testblasFunctions are all of gonum's conformance tests for real numbers.
func testblasFunctions(impl gonum.Float64, gemmOf testblas.Dgemmer) map[string]func(t *testing.T) {
	all := map[string]func(t *testing.T){
		"Dgemm": func(t *testing.T) { testblas.TestDgemm(t, gemmOf) },
		"Dgbmv": func(t *testing.T) { testblas.DgbmvTest(t, impl) }, "Dgemv": func(t *testing.T) { testblas.DgemvTest(t, impl.(testblas.Dgemver)) },
		"Dger": func(t *testing.T) { testblas.DgerTest(t, impl) }, "Dsbmv": func(t *testing.T) { testblas.DsbmvTest(t, impl) },
		"Dspmv": func(t *testing.T) { testblas.DspmvTest(t, impl) }, "Dspr": func(t *testing.T) { testblas.DsprTest(t, impl) },
		"Dspr2": func(t *testing.T) { testblas.Dspr2Test(t, impl) }, "Dsymm": func(t *testing.T) { testblas.DsymmTest(t, impl) },
		"Dsymv": func(t *testing.T) { testblas.DsymvTest(t, impl) }, "Dsyr": func(t *testing.T) { testblas.DsyrTest(t, impl) },
		"Dsyr2": func(t *testing.T) { testblas.Dsyr2Test(t, impl) }, "Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, impl) },
		"Dsyrk": func(t *testing.T) { testblas.DsyrkTest(t, impl) }, "Dtbmv": func(t *testing.T) { testblas.DtbmvTest(t, impl) },
		"Dtbsv": func(t *testing.T) { testblas.DtbsvTest(t, impl) }, "Dtpmv": func(t *testing.T) { testblas.DtpmvTest(t, impl) },
		"Dtpsv": func(t *testing.T) { testblas.DtpsvTest(t, impl) }, "Dtrmm": func(t *testing.T) { testblas.DtrmmTest(t, impl) },
		"Dtrmv": func(t *testing.T) { testblas.DtrmvTest(t, impl) }, "Dtrsm": func(t *testing.T) { testblas.DtrsmTest(t, impl) },
		"Dtrsv": func(t *testing.T) { testblas.DtrsvTest(t, impl) }, "Ddot": func(t *testing.T) { testblas.DdotTest(t, impl) },
		"Dnrm2": func(t *testing.T) { testblas.Dnrm2Test(t, impl) }, "Dasum": func(t *testing.T) { testblas.DasumTest(t, impl) },
		"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, impl) }, "Dswap": func(t *testing.T) { testblas.DswapTest(t, impl) },
		"Dcopy": func(t *testing.T) { testblas.DcopyTest(t, impl) }, "Daxpy": func(t *testing.T) { testblas.DaxpyTest(t, impl) },
		"Drotg": func(t *testing.T) { testblas.DrotgTest(t, impl, false) }, "Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, impl) },
		"Drot": func(t *testing.T) { testblas.DrotTest(t, impl) }, "Drotm": func(t *testing.T) { testblas.DrotmTest(t, impl) },
		"Dscal": func(t *testing.T) { testblas.DscalTest(t, impl) },
	}
	if x, ok := impl.(testblas.Dtxmver); ok {
		all["Dtxmv"] = func(t *testing.T) { testblas.DtxmvTest(t, x) }
	}
	return all
}

func TestGonumsConformanceTestsPass(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (gonum.Float64, testblas.Dgemmer){
		"double/forced": func(t *testing.T) (gonum.Float64, testblas.Dgemmer) { b := forced(t); return b, b },
		"double/routed": func(t *testing.T) (gonum.Float64, testblas.Dgemmer) { b := opened(t, nil); return b, b },
		"single/forced": func(t *testing.T) (gonum.Float64, testblas.Dgemmer) { x := narrow{t: t, impl: forced(t)}; return x, x },
		"single/routed": func(t *testing.T) (gonum.Float64, testblas.Dgemmer) {
			x := narrow{t: t, impl: opened(t, nil)}
			return x, x
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			impl, gemm := open(t)
			for name, test := range testblasFunctions(impl, gemm) {
				t.Run(name, test)
			}
		})
	}
}

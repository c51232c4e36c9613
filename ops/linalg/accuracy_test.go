package linalg_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var update = flag.Bool("update", false, "write the table of the documentation anew")

// threshold is the bound of LAPACK's test programs for a measure.
const threshold = 30

// Every decomposition of every kind of matrix, on both engines, is as near to the matrix as LAPACK's test programs demand.
//
//	go test ./ops/linalg -run AccuracyOfDecompositions -update   # writes docs/accuracy-linalg.md
func TestAccuracyOfDecompositions(t *testing.T) {
	table := map[string]float64{}
	var columns []string
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		engine := strings.Fields(rt.Engines()[0].Name())[0]
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			columns = append(columns, fmt.Sprintf("%s %v", engine, dt))
			for _, r := range routines {
				device := len(rt.Engines()) > 1
				if device && r.host {
					continue
				}
				worst := make([]float64, len(r.measures))
				shapes := r.shapes
				switch { // a driver compiles kernels for each
				case *update:
					shapes = slices.Concat(shapes, more)
				case device && dt == tensor.Float64 && r.name != "QR":
					shapes = nil
				case device:
					shapes = r.device
				}
				if len(shapes) == 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%s", engine, dt, r.name), func(t *testing.T) {
					for _, s := range shapes {
						checkAccuracy(t, rt, dt, &r, s[0], s[1], worst)
					}
				})
				for i, v := range worst {
					key := fmt.Sprintf("%s %s %s", columns[len(columns)-1], r.name, r.measures[i])
					table[key] = max(table[key], v)
				}
			}
		}
		require.NoError(t, rt.Close())
	}
	if *update {
		require.NoError(t, os.WriteFile("../../docs/accuracy-linalg.md", []byte(accuracyPage(columns, table)), 0o644))
	}
}

// checkAccuracy decomposes the kinds of m x n matrices as one batch, and notes the largest of each measure in worst.
func checkAccuracy(t *testing.T, rt *ops.Runtime, dt tensor.DType, r *routine, m, n int, worst []float64) {
	t.Helper()
	all := kinds(dt, m, n, r.symmetric, r.name == "Cholesky")
	as, bs := tensor.Must(tensor.New(dt, len(all), m, n)), tensor.Must(tensor.New(dt, len(all), m, 3))
	for i, k := range all {
		for j, v := range k.a.Data {
			as.SetFloat64(i*m*n+j, v)
		}
		// As large as the products of the matrix, which keeps solutions within the dtype.
		for j := range m * 3 {
			v := math.Sin(float64(i*m*3 + j))
			if s := norm(k.a); s > 0 && !k.odd {
				v *= s
			}
			bs.SetFloat64(i*m*3+j, v)
		}
	}
	g := ops.NewGraph(r.name)
	a, b := g.Input("a", dt, as.Shape()...), g.Input("b", dt, bs.Shape()...)
	outs := r.build(a, b)
	require.NoError(t, g.Err())
	where := ops.Auto
	if len(rt.Engines()) > 1 {
		where = ops.OnDevice
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs, Place: where})
	require.NoError(t, err)
	defer exe.Close()
	values, err := exe.Run(t.Context(), ops.Feeds{a: as, b: bs})
	require.NoError(t, err, "%d x %d", m, n)
	eps, _ := precision(dt)
	for i, k := range all {
		where := fmt.Sprintf("%s of %v, %d x %d, %s, on %s", r.name, dt, m, n, k.name, rt.Engines()[0].Name())
		var out []dense.Matrix
		for _, v := range values {
			out = append(out, matrixAt(v, i))
		}
		if r.info > 0 && !k.odd {
			want := k.zero
			if want > min(m, n) {
				want = 0
			}
			got := out[r.info-1].Data[0]
			if k.name == "condition 0.1/ε" && r.name == "Cholesky" && got != 0 { // rounding may have made it indefinite
				continue
			}
			assert.Equal(t, want, int(got), "%s: the step that failed", where)
		}
		if rank := k.rank(n); r.name == "Lstsq" && rank >= 0 {
			assert.Equal(t, min(m, rank), int(out[1].Data[0]), "%s: the rank", where)
		}
		if k.odd {
			if r.info > 0 && math.IsInf(norm(k.a), 1) {
				continue // a solution may be finite: 1/∞ is 0
			}
			assert.False(t, dense.Finite(out[0]), "%s: NaN is lost", where)
			continue
		}
		if r.regular && k.zero > 0 {
			continue
		}
		for j, v := range r.measure(k.a, matrixAt(bs, i), out, eps) {
			assert.True(t, v < threshold, "%s: %s is %.3g", where, r.measures[j], v)
			worst[j] = max(worst[j], v)
		}
	}
}

// matrixAt is element i of a batch: a matrix, or a row if it is a vector or number.
func matrixAt(x *tensor.Tensor, i int) dense.Matrix {
	s := x.Shape()
	rows, cols := 1, 1
	if len(s) > 2 {
		rows = s[len(s)-2]
	}
	if len(s) > 1 {
		cols = s[len(s)-1]
	}
	a := dense.New(rows, cols)
	for j := range a.Data {
		a.Data[j] = x.Float64At(i*rows*cols + j)
	}
	return a
}

func accuracyPage(columns []string, table map[string]float64) string {
	var b strings.Builder
	b.WriteString(accuracyHead)
	fmt.Fprintf(&b, "\n| function | measure | %s |\n| --- | --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, r := range routines {
		for i, m := range r.measures {
			if i > 0 && m == r.measures[i-1] {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s |", r.name, m)
			for _, c := range columns {
				if v, ok := table[c+" "+r.name+" "+m]; ok {
					fmt.Fprintf(&b, " %.2f |", v)
				} else {
					b.WriteString(" |")
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

const accuracyHead = `# Accuracy of linear algebra

Made by ` + "`go test ./ops/linalg -run AccuracyOfDecompositions -update`" + `, on the machine's best device; do not edit.

The figures are the largest scaled residuals of matrices of 0 to 150 rows, as LAPACK's test programs take them, which let them be 30
(DGET01 to DGET03, DPOT01, DQRT01, DSYT21, DBDT01). ε is the distance from 1 to the next smaller number, norms are largest sums
of a column, and residuals are summed in twice the precision of float64. The matrices are LAPACK's: diagonal, triangular, of condition 2, √(0.1/ε) and 0.1/ε, with
columns of zeros, and scaled near underflow and overflow; and beside them columns that get smaller to the end of the
dtype, and singular values that are equal. Each kind is one element of a batch, in which others have NaN or infinities.

The CPU path computes float32 in float64. Columns without figures are of functions that the CPU path computes for devices too.
`

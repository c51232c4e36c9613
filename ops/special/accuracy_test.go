package special_test

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/special"
	"github.com/anycl/anycl/tensor"
)

var update = flag.Bool("update", false, "write the table of the documentation anew")

// tried is a function with arguments, its values there, the sizes that errors are measured by, and how much relative errors of arguments
// are multiplied by.
type tried struct {
	name                      string
	args                      [][]float64
	values, sizes, conditions []float64
}

// readValues reads testdata/values.csv, which values.py computes with mpmath.
func readValues(t *testing.T) (all []*tried) {
	f, err := os.Open("testdata/values.csv")
	require.NoError(t, err)
	defer f.Close()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return v
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), ",")
		require.Len(t, part, 5)
		at := slices.IndexFunc(all, func(c *tried) bool { return c.name == part[0] })
		if at < 0 {
			at, all = len(all), append(all, &tried{name: part[0]})
		}
		c := all[at]
		for i, a := range strings.Fields(part[1]) {
			if i == len(c.args) {
				c.args = append(c.args, nil)
			}
			c.args[i] = append(c.args[i], number(a))
		}
		c.values, c.sizes, c.conditions = append(c.values, number(part[2])), append(c.sizes, number(part[3])), append(c.conditions, number(part[4]))
	}
	return all
}

// Special functions are near the values of another library with 60 digits, at their edges too.
//
//	go test ./ops/special -run AccuracyOfSpecialFunctions -update   # writes docs/accuracy-special.md
func TestAccuracyOfSpecialFunctions(t *testing.T) {
	all := readValues(t)
	table := map[string][]float64{}
	var columns []string
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			if len(rt.Engines()) > 1 && dt == tensor.Float32 && !*update {
				continue // the same source, which a driver takes seconds to compile
			}
			columns = append(columns, fmt.Sprintf("%s %v", strings.Fields(rt.Engines()[0].Name())[0], dt))
			for i, y := range evaluate(t, rt, dt, all) {
				c := all[i]
				worst, at := 0.0, 0
				for k, v := range c.values {
					if e := errorOf(dt, y.Float64At(k), v, c.sizes[k]) / (1 + c.conditions[k]); !(e <= worst) {
						worst, at = e, k
					}
				}
				where := ""
				for _, a := range c.args {
					where += fmt.Sprint(a[at], " ")
				}
				assert.Less(t, worst, 10.0, "%s %s at %s is %v, not %v", columns[len(columns)-1], c.name, where, y.Float64At(at), c.values[at])
				table[c.name] = append(table[c.name], worst)
			}
		}
		require.NoError(t, rt.Close())
	}
	if *update {
		require.NoError(t, os.WriteFile("../../docs/accuracy-special.md", []byte(accuracyPage(columns, all, table)), 0o644))
	}
}

// evaluate are the functions at all arguments.
func evaluate(t *testing.T, rt *ops.Runtime, dt tensor.DType, all []*tried) []*tensor.Tensor {
	g := ops.NewGraph("special")
	target := ops.Target{}
	if len(rt.Engines()) > 1 {
		target.Place = ops.OnDevice
	}
	feeds := ops.Feeds{}
	for i, c := range all {
		var in []*ops.Node
		for k, a := range c.args {
			x := g.Input(fmt.Sprint("x", i, "_", k), dt, len(a))
			values := tensor.Must(tensor.New(dt, len(a)))
			for j, v := range a {
				values.SetFloat64(j, v)
			}
			feeds[x] = values
			in = append(in, x)
		}
		if n, ok := strings.CutPrefix(c.name, "special.polygamma "); ok {
			order, err := strconv.Atoi(n)
			require.NoError(t, err)
			target.Outputs = append(target.Outputs, special.Polygamma(order, in[0]))
			continue
		}
		target.Outputs = append(target.Outputs, ops.Apply(c.name, nil, in...))
	}
	exe, err := g.Compile(t.Context(), rt, target)
	require.NoError(t, err)
	defer exe.Close()
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return out
}

// errorOf is |y - want| in units in the last place of size: 0 where the dtype holds nothing near want.
func errorOf(dt tensor.DType, y, want, size float64) float64 {
	digits, least := 53, -1022
	if dt == tensor.Float32 {
		digits, least = 24, -126
		if math.Abs(want) > math.MaxFloat32 || math.Abs(want) < 0x1p-126 {
			return 0
		}
	}
	return math.Abs(y-want) / math.Ldexp(1, max(math.Ilogb(max(size, math.Abs(want))), least)-digits+1)
}

func accuracyPage(columns []string, all []*tried, table map[string][]float64) string {
	var b strings.Builder
	b.WriteString(accuracyHead)
	fmt.Fprintf(&b, "\n| op | points | %s |\n| --- | --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, c := range all {
		fmt.Fprintf(&b, "| `%s` | %d |", c.name, len(c.values))
		for _, v := range table[c.name] {
			fmt.Fprintf(&b, " %.1f |", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

const accuracyHead = `# Accuracy of special functions

Made by ` + "`go test ./ops/special -run AccuracyOfSpecialFunctions -update`" + `, on the machine's best device; do not edit.

The figures are the largest errors in units in the last place, at arguments that float32 holds, beside values that mpmath computes with 60
digits (` + "`ops/special/testdata/values.py`" + `). An error counts by what rounding of the arguments to the last place changes, if that is more: exp(-x²/2) of 17
changes by 289 places for one of x. What oscillates is measured by its amplitude, and what vanishes beside a zero by its
terms: Bessel and Airy functions above 1 and below -1, the digamma function, and the logarithm of the gamma function below 3.
`

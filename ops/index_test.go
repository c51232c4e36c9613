package ops_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	_ "github.com/anycl/anycl/ops/all"
	"github.com/anycl/anycl/tensor"
)

var updateIndex = flag.Bool("update", false, "write docs/ops.md anew")

const indexHead = `# The table of ops

Made of the definitions in package ops, those below it and ` + "`sparse`" + ` by ` + "`make golden`" + `; do not edit. Functions, whose documentation
has the mathematics, call ops by these names; [ops.Apply](https://pkg.go.dev/github.com/anycl/anycl/ops#Apply) calls them by name, as importers do.

A name with a dot begins with the package that has the op: ` + "`linalg.solve` is `linalg.Solve` in `ops/linalg`" + `. A program that
calls ops by name imports these packages, or ` + "`ops/all`" + ` for all of them.

| package | ops | what were functions of package ops |
| --- | --- | --- |
| ` + "`ops/linalg`" + ` | decompositions, systems of equations, norms of matrices, distances | by the same names: ` + "`ops.Solve` is `linalg.Solve`" + ` |
| ` + "`ops/fft`" + ` | Fourier transforms | without FFT in front: ` + "`ops.FFTOptions` is `fft.Options`, `ops.FFTShift` `fft.Shift`, `ops.IFFTShift` `fft.IShift`; `ops.RFFT` is `fft.RFFT`" + ` |
| ` + "`ops/special`" + ` | the gamma function and its relatives, Bessel functions, orthogonal polynomials | by the same names: ` + "`ops.LGamma` is `special.LGamma`" + ` |
| ` + "`ops/nbody`" + ` | sums over all pairs of points |  |
| ` + "`ops/stencil`" + ` | stencils applied many times in one launch |  |
| ` + "`sparse`" + ` | products of sparse matrices; [its other functions](science.md#sparse-matrices) are made of them |  |

Operands are of the dtypes of the op, all of the same, unless others stand behind them; ` + "`?`" + ` may be left out, ` + "`...`" + ` repeated.
*Any* is any real number or bool, and complex numbers where the op moves elements; *complex* are complex64 and complex128, see
[complex numbers](complex.md). An attribute without a value must be given. A gradient is *yes*, *zero* wherever it exists, or *no*.
`

// The index of ops agrees with the table.
func TestIndexOfOpsIsWhatTheTableSays(t *testing.T) {
	path := filepath.Join("..", "docs", "ops.md")
	text := index(t)
	if *updateIndex {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, strings.ReplaceAll(string(have), "\r\n", "\n"), "make golden writes it")
}

func index(t *testing.T) string {
	rows := map[string][]string{}
	for op := range ops.Table() {
		if strings.HasPrefix(op.Name, "example.") {
			continue
		}
		require.NotEmpty(t, op.Category, op.Name)
		var operands, attributes []string
		for _, p := range op.Operands {
			name := p.Name
			if p.Repeated {
				name += "..."
			}
			if p.Optional {
				name += "?"
			}
			if p.DTypes != nil {
				name += " " + family(p.DTypes)
			}
			operands = append(operands, name)
		}
		for _, a := range op.Attributes.All() {
			name := a.Name
			if !a.Given {
				value, err := json.Marshal(a.Default)
				require.NoError(t, err, op.Name)
				name += " = " + strings.Trim(string(value), `"`)
				if a.Default == nil {
					name = a.Name + " = none"
				}
			}
			attributes = append(attributes, "`"+name+"`")
		}
		gradient := "no"
		switch {
		case op.Differentiable():
			gradient = "yes"
		case op.Flat:
			gradient = "zero"
		}
		rows[op.Category] = append(rows[op.Category], fmt.Sprintf("| `%s` | %s | %s | %s | %s |",
			op.Name, strings.Join(operands, ", "), strings.Join(attributes, ", "), dtypesOf(op), gradient))
	}
	var b strings.Builder
	b.WriteString(indexHead)
	for _, category := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "\n## %s\n\n| op | operands | attributes | dtypes | gradient |\n| --- | --- | --- | --- | --- |\n%s\n",
			strings.ToUpper(category[:1])+category[1:], strings.Join(rows[category], "\n"))
	}
	return b.String()
}

// dtypesOf names the dtypes of op, complex ones too where it has a form for them.
func dtypesOf(op *ops.Op) string {
	whole := slices.DeleteFunc(slices.Clone(op.DTypes), tensor.DType.IsComplex)
	name := family(whole)
	switch complex := op.Complex != nil || len(whole) < len(op.DTypes); {
	case complex && name == "":
		return "complex"
	case complex && name != "any":
		return name + ", complex"
	}
	return name
}

// family names a set of dtypes.
func family(dts []tensor.DType) string {
	all := func(in func(tensor.DType) bool) bool {
		return slices.Equal(dts, slices.Collect(func(yield func(tensor.DType) bool) {
			for _, dt := range tensor.DTypes() {
				if in(dt) && !yield(dt) {
					return
				}
			}
		}))
	}
	number := func(dt tensor.DType) bool { return dt != tensor.Bool }
	switch {
	case len(dts) == len(tensor.DTypes()):
		return "any"
	case all(tensor.DType.IsFloat):
		return "floats"
	case all(tensor.DType.IsInt):
		return "integers"
	case all(number):
		return "numbers"
	case all(func(dt tensor.DType) bool { return !dt.IsFloat() }):
		return "bool, integers"
	}
	var names []string
	for _, dt := range dts {
		names = append(names, dt.String())
	}
	return strings.Join(names, ", ")
}

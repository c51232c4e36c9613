package opinfo

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// variants end names of OpInfo and are none of PyTorch's.
var variants = regexp.MustCompile(`\.(decimals_.*|with_dtype|dtype|list_args|no_rounding_mode|floor_rounding|trunc_rounding|reduction_.*|binary|nuc|fro|inf|hermitian|singular|decomposed|grad|subgradients_at_zero|variadic_tensors|list_of_tensors|mvlgamma_.*|polygamma_.*|special_polygamma_.*|sum|prod|mean|amin|amax|lengths|offsets|constant|reflect|replicate|circular|nearest|linear|bilinear|trilinear|bicubic|area)$`)

// public is PyTorch's name of a row, and the arguments that tell calls apart where names alone do not.
func public(torch string) (name, with string) {
	name = torch
	keep := strings.HasPrefix(torch, "masked.") || strings.Count(torch, ".") == 2 && strings.HasPrefix(torch, "nn.functional.")
	if at := variants.FindStringIndex(torch); at != nil && !keep {
		name, with = torch[:at[0]], torch[at[0]+1:]
	}
	return name, with
}

// WriteMarkdown prints the table as a page of the documentation.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(docHead)
	last := ""
	for _, r := range Table() {
		name, with := public(r.Torch)
		text := "`" + strings.ReplaceAll(r.Go, "|", "\\|") + "`"
		if r.Go == "" {
			text = ""
		}
		line := fmt.Sprintf(" | %s | %s |\n", text, r.Note)
		if name+line == last {
			continue
		}
		last = name + line
		switch with {
		case "reduction_with_dim", "reduction_no_dim", "binary", "reflect", "replicate", "circular", "nearest", "linear", "bilinear",
			"trilinear", "bicubic", "area", "sum", "prod", "mean", "amin", "amax", "lengths", "offsets":
			with = ", " + strings.TrimPrefix(strings.ReplaceAll(with, "_", " "), "reduction ")
		default:
			with = ""
		}
		fmt.Fprintf(&b, "| `%s`%s%s", name, with, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const docHead = `# From PyTorch

Made of the table in ` + "`tools/internal/opinfo`" + ` by ` + "`make golden`" + `; do not edit. How the calls of PyTorch are written with package
ops: names are those of ` + "`torch`" + ` and of methods of its tensors. The same table runs the cases of PyTorch's own database of ops,

    python3 tools/internal/opinfo/cases.py FOLDER     # cases of the PyTorch that is installed, 8,900 of version 1.13
    go run ./tools/cmd/anycl conformance -suite opinfo -data FOLDER

and compares forward (relative 1e-4, absolute 1e-5) and gradients (1e-3, 1e-4).

Conventions that differ:

- Nothing is cast by itself: operands have the same dtype, Go numbers take that of the other operand. PyTorch promotes: put
  ops.Cast where a row needs it.
- Axes that a reduction folds vanish; ` + "`keepdim=True`" + ` is ops.KeepDims around it.
- Positions are int64.
- A result whose size depends on data has room for the largest and comes with its count.
- In place is written as a new value; ops.Assign changes a variable.
- Random ops draw other numbers than PyTorch for the same seed, and the same ones on every device.
- Not there: complex numbers, sparse and quantised tensors of PyTorch.

| PyTorch | here | notes |
| --- | --- | --- |
`

package umath

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/anycl/anycl/tensor"
)

// WriteText prints a line for each set and device.
func WriteText(w io.Writer, all []*Error) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "function\tdtype\tdevice\tpoints\tulp\tOpenCL allows\tworst at\t")
	for _, e := range all {
		fmt.Fprintf(t, "%s\t%v\t%s\t%d\t%s\t%g\t%g\t%s\n", e.Function, e.DType, e.Device, e.Points, e.text(), e.Bound, e.At, e.Why)
	}
	return t.Flush()
}

func (e *Error) text() string {
	switch {
	case e.Why != "":
		return "-"
	case e.ULP == far:
		return "∞"
	}
	return fmt.Sprintf("%.0f", e.ULP)
}

// Failed reports whether any error is larger than OpenCL allows.
func Failed(all []*Error) bool {
	return slices.ContainsFunc(all, func(e *Error) bool { return e.Why == "" && e.ULP > e.Bound })
}

// WriteMarkdown prints the page of the documentation.
func WriteMarkdown(w io.Writer, all []*Error) error {
	var devices []string
	for _, e := range all {
		if !slices.Contains(devices, e.Device) {
			devices = append(devices, e.Device)
		}
	}
	var b strings.Builder
	b.WriteString(head)
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		fmt.Fprintf(&b, "\n## %v\n\n| function | op | points | OpenCL allows | NumPy allows itself |", dt)
		for _, d := range devices {
			fmt.Fprintf(&b, " %s |", d)
		}
		b.WriteString("\n| --- | --- | --- | --- | --- |" + strings.Repeat(" --- |", len(devices)) + "\n")
		for _, f := range functions {
			row := ""
			for _, d := range devices {
				i := slices.IndexFunc(all, func(e *Error) bool { return e.Device == d && e.DType == dt && e.Function == f.numpy })
				if i < 0 {
					row += " |"
					continue
				}
				e := all[i]
				if row == "" {
					fmt.Fprintf(&b, "| %s | `%s` | %d | %g | %g |", e.Function, e.Op, e.Points, e.Bound, e.Allowed)
				}
				row += " " + e.text() + " |"
			}
			if row = strings.TrimRight(row, "\n"); row != "" {
				b.WriteString(row + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const head = `# Accuracy of elementary functions

Made by ` + "`anycl conformance -suite umath -data DIR -device cpu,pocl -o docs/accuracy.md`" + `; do not edit. DIR holds the files
umath-validation-set-*.csv that NumPy is tested with, as Debian's package python3-numpy does: inputs that are known to be
hard, the results correctly rounded beside them.

The figures are the largest errors in units in the last place of the result. Beside them stands what the specification of
OpenCL allows a device (OpenCL C 3.0, section 7.4), which is what package ops promises, and what NumPy allows itself. A subnormal number
that a device takes for zero, as OpenCL lets it in single precision, is not counted.
`

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/onnx"
)

func newONNX() *cobra.Command {
	c := &cobra.Command{
		Use:   "onnx",
		Short: "tell about ONNX files",
		RunE:  func(c *cobra.Command, _ []string) error { return usageError{errors.New("a command is missing: info")} },
	}
	var asJSON bool
	info := &cobra.Command{
		Use:   "info FILE",
		Short: "inputs, outputs, operators and weights of a model, or everything in it that is not supported",
		Args:  oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := modelReportOf(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), r)
			}
			return r.write(c.OutOrStdout())
		},
	}
	jsonFlag(info, &asJSON)
	c.AddCommand(info)
	return c
}

// oneArg wants one argument of that name.
func oneArg(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("%d arguments, not 1: %s", len(args), name)}
		}
		return nil
	}
}

// modelReport describes a model.
type modelReport struct {
	Producer    string         `json:"producer"`
	Opset       int            `json:"opset"`
	Inputs      []valueReport  `json:"inputs"`
	Outputs     []valueReport  `json:"outputs"`
	Operators   map[string]int `json:"operators"`
	Weights     int            `json:"weights"`
	WeightBytes int            `json:"weight_bytes"`
}

type valueReport struct {
	Name  string   `json:"name"`
	DType string   `json:"dtype"`
	Shape []string `json:"shape"`
}

func modelReportOf(path string) (*modelReport, error) {
	m, err := onnx.Load(path)
	if err != nil {
		return nil, err
	}
	name, version := m.Producer()
	r := &modelReport{
		Producer: strings.TrimSpace(name + " " + version), Opset: m.Opset(), Operators: m.OpCounts(),
		Inputs: valueReports(m.Inputs()), Outputs: valueReports(m.Outputs()),
	}
	for _, t := range m.Weights() {
		r.Weights++
		r.WeightBytes += t.NumBytes()
	}
	return r, nil
}

func valueReports(values []onnx.Info) []valueReport {
	all := make([]valueReport, 0, len(values))
	for _, v := range values {
		x := valueReport{Name: v.Name, DType: v.DType.String()}
		for i, d := range v.Shape {
			switch {
			case d >= 0:
				x.Shape = append(x.Shape, fmt.Sprint(d))
			case v.Dims[i] != "":
				x.Shape = append(x.Shape, v.Dims[i])
			default:
				x.Shape = append(x.Shape, "?")
			}
		}
		all = append(all, x)
	}
	return all
}

func (r *modelReport) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "written by\t%s\noperator set\t%d\nweights\t%d, %.1f MB\n", r.Producer, r.Opset, r.Weights, float64(r.WeightBytes)/1e6)
	for _, v := range r.Inputs {
		fmt.Fprintf(t, "input\t%s %s[%s]\n", v.Name, v.DType, strings.Join(v.Shape, " "))
	}
	for _, v := range r.Outputs {
		fmt.Fprintf(t, "output\t%s %s[%s]\n", v.Name, v.DType, strings.Join(v.Shape, " "))
	}
	names := slices.SortedFunc(maps.Keys(r.Operators), func(a, b string) int {
		if n := r.Operators[b] - r.Operators[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		what := ""
		if i == 0 {
			what = "operators"
		}
		fmt.Fprintf(t, "%s\t%4d %s\n", what, r.Operators[name], name)
	}
	return t.Flush()
}

// Sklearn tells benign tumours from malignant ones by a random forest that scikit-learn has grown, an ONNX file.
//
//	go run ./examples/sklearn [-rows 100000] [-model FILE -csv FILE]
//
// The forest and the rows that it has not seen come with the example, with scikit-learn's predictions for them; forest.py makes
// both. Other models of scikit-learn's converter (skl2onnx) with two classes do too: the table has a column for each feature, the
// class, and the probability of the second class. It prints how many rows are told rightly, and checks that probabilities are
// scikit-learn's.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

var (
	//go:embed forest.onnx
	forest []byte
	//go:embed test.csv
	unseen []byte
	//go:embed forest.py
	script string
)

type options struct {
	rows       int
	model, csv string
}

func main() {
	var o options
	gallery.Int(&o.rows, "rows", 100000, 1, 1e7, "rows to score: those of the table, again and again, and all of them at least once")
	flag.StringVar(&o.model, "model", "", "ONNX `file` of a classifier (default the forest that comes with the example)")
	flag.StringVar(&o.csv, "csv", "", "`file` of rows (default those that come with the example)")
	gallery.Main("sklearn", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	file, t, err := o.read()
	if err != nil {
		return err
	}
	rows := max(o.rows, len(t.class))
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	m, err := gallery.OpenModel(ctx, p, rt, file)
	if err != nil {
		return err
	}
	if len(m.Outputs()) != 2 {
		return fmt.Errorf("the model has %d outputs: a classifier has labels and probabilities", len(m.Outputs()))
	}
	values := t.repeated(rows)
	if _, err := m.Run(ctx, tensor.Must(tensor.FromSlice(values, rows, t.columns))); err != nil {
		return err
	}
	label, probabilities := m.Outputs()[0].Name, m.Outputs()[1].Name
	m.Skip = label // onnxruntime 1.26 and later give the wrong class: https://github.com/microsoft/onnxruntime/issues/28557
	results, err := m.Times(ctx, gallery.Work{Name: "scoring rows", Amount: float64(rows), Unit: "rows"}, 1e-6)
	if err != nil {
		return err
	}
	for _, r := range results {
		right, same, worst := 0, 0, 0.0
		for i, class := range t.class {
			got := int64(r.Value[label].Float64At(i))
			if got == class {
				right++
			}
			if (got == 1) == (t.probability[i] > 0.5) {
				same++
			}
			worst = max(worst, math.Abs(r.Value[probabilities].Float64At(2*i+1)-t.probability[i]))
		}
		p.Printf("%s: %d of %d rows are told rightly, %.1f %%\n", r.Where, right, len(t.class), 100*float64(right)/float64(len(t.class)))
		p.Check(same == len(t.class) && worst < 1e-6,
			"classes and probabilities of %s are scikit-learn's: %d of %d rows, within %.1e", r.Where, same, len(t.class), worst)
	}
	if o.model != "" || o.csv != "" || p.Compared() {
		return nil // the script has its own forest, and a work one peer
	}
	var said []float64
	there, err := p.Beside(ctx, gallery.Peer{Name: "scikit-learn", Python: script, Files: map[string]any{"rows.f32": values}}, &said)
	if err != nil || !there {
		return err
	}
	worst := 0.0
	for i, v := range said {
		worst = max(worst, math.Abs(v-results[0].Value[probabilities].Float64At(2*i+1)))
	}
	p.Check(worst < 1e-6, "probabilities of %s are those of scikit-learn here within %.1e", results[0].Where, worst)
	return nil
}

package train

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/anycl/anycl/tensor"
)

// Metric judges the scores of a validation, batch by batch. Its state begins anew with Reset.
type Metric interface {
	Name() string // in progress lines and logs
	Reset()
	// Add takes the scores of a batch and their targets.
	Add(scores, target *tensor.Tensor) error
	Value() float64 // NaN if nothing was added
	Higher() bool   // whether more is better
}

// mean is a sum over examples.
type mean struct {
	sum   float64
	count int
}

func (m *mean) Reset() { *m = mean{} }
func (m *mean) Value() float64 {
	if m.count == 0 {
		return math.NaN()
	}
	return m.sum / float64(m.count)
}

// classes are the width of scores [N, classes], with targets [N] that are classes.
func classes(scores, target *tensor.Tensor) (rows, width int, err error) {
	if scores.Rank() != 2 || target.Rank() != 1 || target.Shape()[0] != scores.Shape()[0] || scores.Shape()[1] == 0 {
		return 0, 0, fmt.Errorf("scores are %v and targets %v, not [N, classes] and [N]", scores.Shape(), target.Shape())
	}
	if target.DType().IsFloat() {
		return 0, 0, fmt.Errorf("targets are %v, not numbers of classes", target.DType())
	}
	return scores.Shape()[0], scores.Shape()[1], nil
}

// classOf is the target of a row, which must be a class.
func classOf(target *tensor.Tensor, row, width int) (int, error) {
	c := int(target.Float64At(row))
	if c < 0 || c >= width {
		return 0, fmt.Errorf("target %d is class %d of %d", row, c, width)
	}
	return c, nil
}

// best is the class with the highest score, the first of several.
func best(scores *tensor.Tensor, row, width int) int {
	at := 0
	for c := range width {
		if v, top := scores.Float64At(row*width+c), scores.Float64At(row*width+at); v > top || math.IsNaN(top) {
			at = c
		}
	}
	return at
}

// Accuracy is the fraction of the examples whose highest score, of [N, classes], is that of the target class, [N] integers.
type Accuracy struct{ mean }

// Name is accuracy.
func (a *Accuracy) Name() string { return "accuracy" }

// Higher is true.
func (a *Accuracy) Higher() bool { return true }

// Add counts a batch.
func (a *Accuracy) Add(scores, target *tensor.Tensor) error {
	rows, width, err := classes(scores, target)
	for i := 0; i < rows && err == nil; i++ {
		var c int
		if c, err = classOf(target, i, width); err == nil && best(scores, i, width) == c {
			a.sum++
		}
		a.count++
	}
	return err
}

// TopK is the fraction of the examples whose target class is among the K highest scores; of classes with equal scores the first is the
// highest.
type TopK struct {
	K int
	mean
}

// Name is top- and K.
func (t *TopK) Name() string { return "top-" + strconv.Itoa(t.K) }

// Higher is true.
func (t *TopK) Higher() bool { return true }

// Add counts a batch.
func (t *TopK) Add(scores, target *tensor.Tensor) error {
	rows, width, err := classes(scores, target)
	for i := 0; i < rows && err == nil; i++ {
		var c int
		if c, err = classOf(target, i, width); err != nil {
			break
		}
		own, above := scores.Float64At(i*width+c), 0
		for k := range width {
			if v := scores.Float64At(i*width + k); v > own || v == own && k < c {
				above++
			}
		}
		if above < t.K && !math.IsNaN(own) {
			t.sum++
		}
		t.count++
	}
	return err
}

// MAE is the mean absolute difference between scores and targets of equal shape.
type MAE struct{ mean }

// Name is mae.
func (m *MAE) Name() string { return "mae" }

// Higher is false.
func (m *MAE) Higher() bool { return false }

// Add counts a batch.
func (m *MAE) Add(scores, target *tensor.Tensor) error {
	if !slices.Equal(scores.Shape(), target.Shape()) {
		return fmt.Errorf("scores are %v and targets %v", scores.Shape(), target.Shape())
	}
	for i := range scores.Len() {
		m.sum += math.Abs(scores.Float64At(i) - target.Float64At(i))
		m.count++
	}
	return nil
}

// Confusion counts, for each target class, how often each class had the highest score. Its value is the accuracy.
type Confusion struct {
	Classes []string // names; those that lack are numbers
	Counts  [][]int  // [target][predicted]
}

// Name is confusion.
func (c *Confusion) Name() string { return "confusion" }

// Higher is true.
func (c *Confusion) Higher() bool { return true }

// Reset forgets the counts.
func (c *Confusion) Reset() { c.Counts = nil }

// Add counts a batch.
func (c *Confusion) Add(scores, target *tensor.Tensor) error {
	rows, width, err := classes(scores, target)
	if err != nil {
		return err
	}
	if c.Counts == nil {
		for range width {
			c.Counts = append(c.Counts, make([]int, width))
		}
	}
	if width != len(c.Counts) {
		return fmt.Errorf("scores of %d classes after some of %d", width, len(c.Counts))
	}
	for i := range rows {
		want, err := classOf(target, i, width)
		if err != nil {
			return err
		}
		c.Counts[want][best(scores, i, width)]++
	}
	return nil
}

// Value is the fraction that is right.
func (c *Confusion) Value() float64 {
	right, all := 0, 0
	for i, row := range c.Counts {
		right += row[i]
		for _, n := range row {
			all += n
		}
	}
	return ratio(right, all)
}

// ratio is a/b, NaN for 0/0.
func ratio(a, b int) float64 { return float64(a) / float64(b) }

func (c *Confusion) class(i int) string {
	if i < len(c.Classes) {
		return c.Classes[i]
	}
	return strconv.Itoa(i)
}

// String is the matrix as a table: a line for each target class, a column for each that was predicted.
func (c *Confusion) String() string {
	return table(func(w *tabwriter.Writer) {
		fmt.Fprint(w, "target \\ predicted\t")
		for i := range c.Counts {
			fmt.Fprint(w, c.class(i), "\t")
		}
		for i, row := range c.Counts {
			fmt.Fprint(w, "\n", c.class(i), "\t")
			for _, n := range row {
				fmt.Fprint(w, n, "\t")
			}
		}
		fmt.Fprintln(w)
	})
}

// Report is the classification report: for each class
//
//	precision = right / predicted,  recall = right / there,  f1 = 2 · right / (predicted + there)
//
// and how many there are; below, the accuracy, and means over the classes, plain and weighted by how many there are. A 0/0 is
// shown as - and counts as 0 in means, as in scikit-learn.
func (c *Confusion) Report() string {
	return table(func(w *tabwriter.Writer) {
		fmt.Fprintln(w, "\tprecision\trecall\tf1\texamples\t")
		var plain, weighted [3]float64
		all := 0
		line := func(name string, v [3]float64, n int) {
			fmt.Fprintf(w, "%s\t", name)
			for _, x := range v {
				if math.IsNaN(x) {
					fmt.Fprint(w, "-\t")
				} else {
					fmt.Fprintf(w, "%.3f\t", x)
				}
			}
			fmt.Fprintf(w, "%d\t\n", n)
		}
		for i, row := range c.Counts {
			there, predicted := 0, 0
			for k, n := range row {
				there += n
				predicted += c.Counts[k][i]
			}
			v := [3]float64{ratio(row[i], predicted), ratio(row[i], there), ratio(2*row[i], predicted+there)}
			line(c.class(i), v, there)
			all += there
			for k, x := range v {
				if !math.IsNaN(x) {
					plain[k] += x / float64(len(c.Counts))
					weighted[k] += x * float64(there)
				}
			}
		}
		for k := range weighted {
			weighted[k] /= float64(all)
		}
		fmt.Fprintf(w, "accuracy\t\t\t%.3f\t%d\t\n", c.Value(), all)
		line("mean", plain, all)
		line("weighted mean", weighted, all)
	})
}

func table(fill func(w *tabwriter.Writer)) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fill(w)
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

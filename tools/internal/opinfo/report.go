package opinfo

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// WriteText prints a line a case, those that pass only with verbose, and the totals.
func (r *Report) WriteText(w io.Writer, verbose bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, o := range r.Cases {
		good := o.Forward == Pass && (o.Gradient == Pass || o.Gradient == None)
		if good && !verbose {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\tforward %s\tgradient %s\t%s\n", o.Torch, o.Case, o.Forward, o.Gradient, o.Reason)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	n := r.Totals
	_, err := fmt.Fprintf(w, `%d cases on %s in %v, %d graphs compiled
forward:   %d pass, %d near, %d wrong, %d unsupported
gradients: %d pass, %d near, %d wrong, %d unsupported
of those that pass, %d are one call and %d a composition
near: PyTorch's rounding, what is computed here is nearer to the value in float64
`, len(r.Cases), r.Device, r.Duration.Round(time.Millisecond), r.Graphs, n.Forward.Pass, n.Forward.Near, n.Forward.Wrong, n.Forward.Unsupported,
		n.Gradient.Pass, n.Gradient.Near, n.Gradient.Wrong, n.Gradient.Unsupported, n.OneCall, n.Composition)
	return err
}

// Failed reports whether any case is wrong.
func (r *Report) Failed() bool { return r.Totals.Forward.Wrong+r.Totals.Gradient.Wrong > 0 }

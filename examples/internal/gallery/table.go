package gallery

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// table prints where each work ran, how long it took, at what rate, and how much longer than on the device.
func (p *Program) table() {
	if len(p.record.Works) == 0 {
		return
	}
	p.Printf("\n")
	w := tabwriter.NewWriter(p.Stdout, 0, 8, 2, ' ', 0)
	for _, work := range p.record.Works {
		lines := append([]RunRecord{}, work.Runs...)
		if work.Peer != nil {
			lines = append(lines, RunRecord{Where: work.Peer.Name + " " + work.Peer.Version, Seconds: work.Peer.Seconds, Amount: work.Peer.Amount})
		}
		for i, r := range lines {
			row := []string{work.Name, r.Where, Seconds(r.Seconds), work.rate(r), ""}
			if i > 0 {
				row[0], row[4] = "", work.ratio(r)
			}
			fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
		}
	}
	_ = w.Flush() // who cannot read it has seen the error of a line before
}

// rate is the amount of work of a run in a second, with its unit; empty where there is none.
func (w *WorkRecord) rate(r RunRecord) string {
	if w.Amount == 0 || r.Seconds == 0 {
		return ""
	}
	return Number(r.Amount/r.Seconds) + " " + w.Unit + "/s"
}

// Ratio is how much longer a run takes than the first one, for the same amount.
func (w *WorkRecord) Ratio(r RunRecord) float64 {
	first := w.Runs[0]
	ratio := r.Seconds / first.Seconds
	if w.Amount > 0 {
		ratio *= first.Amount / r.Amount
	}
	return ratio
}

func (w *WorkRecord) ratio(r RunRecord) string {
	line := fmt.Sprintf("%s times the time of %s", Number(w.Ratio(r)), w.Runs[0].Where)
	if r.Amount < w.Amount {
		line += fmt.Sprintf(" for the same work: it did %s %% of it", Number(100*r.Amount/w.Amount))
	}
	return line
}

// Seconds writes a time with three digits and a unit.
func Seconds(s float64) string {
	switch {
	case s < 1e-3:
		return Number(s*1e6) + " us"
	case s < 1:
		return Number(s*1e3) + " ms"
	}
	return Number(s) + " s"
}

// Number writes a number with at least three digits, and no more than it has before the point.
func Number(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.9995:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

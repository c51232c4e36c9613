package train

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/anycl/anycl/data"
)

// progress writes a line for each record, and on a terminal one that moves.
type progress struct {
	w        io.Writer
	terminal bool
	of       *fit
	began    time.Time // this process's training
	first    int       // its first step
	drawn    time.Time
	examples int // since then
	shown    bool
}

// moves is how often the line on a terminal is drawn anew.
const moves = 100 * time.Millisecond

func newProgress(w io.Writer, f *fit) *progress {
	now := time.Now()
	p := &progress{w: w, of: f, began: now, drawn: now, first: f.s.Step}
	if file, ok := w.(*os.File); ok {
		info, err := file.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0 && file.Name() != os.DevNull && os.Getenv("TERM") != "dumb"
	}
	return p
}

// step shows a step. A terminal that cannot be written to is no reason to stop, so errors are dropped here and below.
func (p *progress) step(b *data.Batch, loss float64) {
	if p.w == nil || !p.terminal {
		return
	}
	p.examples += len(b.Numbers)
	now := time.Now()
	if now.Sub(p.drawn) < moves {
		return
	}
	fmt.Fprint(p.w, "\r\x1b[K", p.moving(b, loss, now))
	p.drawn, p.examples, p.shown = now, 0, true
}

// moving is the line of a step.
func (p *progress) moving(b *data.Batch, loss float64, now time.Time) string {
	f := p.of
	rate := float64(p.examples) / now.Sub(p.drawn).Seconds()
	made := f.s.Step - p.first
	all := f.all() - p.first
	left := time.Duration(min(float64(now.Sub(p.began))/float64(made)*float64(all-made), 1<<62)) // of a training without an end
	where := fmt.Sprintf("epoch %d of %d  %d of %d", b.Epoch+1, f.o.Epochs, b.Index+1, f.loader.Len())
	if f.o.Steps > 0 {
		where = fmt.Sprintf("step %d of %d", f.s.Step, f.all())
	}
	return fmt.Sprintf("%s  loss %.4f  %.0f examples/s  %s left", where, loss, rate, left.Round(time.Second))
}

// record writes a line that stays.
func (p *progress) record(r *Record) {
	if p.w == nil {
		return
	}
	p.end()
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %3d  step %6d  loss %.4f", r.Epoch, r.Step, float64(r.Loss))
	if r.Metrics != nil {
		fmt.Fprintf(&b, "  valid %.4f", float64(r.ValidLoss))
		for _, m := range p.of.metrics {
			fmt.Fprintf(&b, "  %s %.4f", m, float64(r.Metrics[m]))
		}
	}
	fmt.Fprintf(&b, "  %.1f s  %.0f examples/s", r.Seconds, r.rate())
	if r.Best {
		b.WriteString("  best")
	}
	fmt.Fprintln(p.w, b.String())
}

// end takes the moving line away.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

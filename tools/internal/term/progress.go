// Package term shows on a terminal how far a command is.
package term

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a job is: a bar on a terminal, lines elsewhere.
type Progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar // nil where w is no terminal

	steps int
	what  string
	start time.Time
	next  time.Time // of the next line
}

// Where there is no terminal a job that is over soon writes no lines, and a long one a line now and then.
const (
	silent  = 2 * time.Second
	between = 10 * time.Second
)

// NewProgress starts a job of so many steps.
func NewProgress(w io.Writer, steps int, what string) *Progress {
	now := time.Now()
	p := &Progress{w: w, steps: steps, what: what, start: now, next: now.Add(silent)}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(steps,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription(what),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// To says that at steps of all are done, and what goes on now. Without a terminal it writes a line after two
// seconds, and then every ten. A terminal that cannot be written to is no reason to stop the job, so errors are
// dropped here and below.
func (p *Progress) To(at int, what string) {
	if p.bar != nil {
		p.bar.Describe(what)
		_ = p.bar.Set(at)
		return
	}
	if now := time.Now(); !now.Before(p.next) {
		fmt.Fprintf(p.w, "%s: %d of %d after %v: %s\n", p.what, at, p.steps, now.Sub(p.start).Round(time.Second), what)
		p.next = now.Add(between)
	}
}

// Done takes the bar away.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

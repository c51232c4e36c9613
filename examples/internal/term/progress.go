package term

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far a job is: a bar on a terminal, and lines that stay.
type Progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar // nil where w is no terminal
}

// NewProgress starts a job of so many steps.
func NewProgress(w io.Writer, steps int, what string) *Progress {
	p := &Progress{w: w}
	if isTerminal(w) {
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

// Step says that one more step is done. A terminal that cannot be written to is
// no reason to stop the job, so errors are dropped here and below.
func (p *Progress) Step() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

// Line writes a line that stays, above the bar.
func (p *Progress) Line(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	}
}

// Done takes the bar away.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

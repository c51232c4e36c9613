package platform

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/anycl/anycl/internal/units"
)

// Report is a device with all that is known about it without touching it, for
// people (Explain) and for JSON.
type Report struct {
	*Device
	Quirks      []Quirk      `json:"quirks"`
	QuirksOff   []string     `json:"quirks_off,omitempty"`  // by ANYCL_QUIRKS
	Caps        *Caps        `json:"caps,omitempty"`        // nil: not probed yet
	Calibration *Calibration `json:"calibration,omitempty"` // nil: not calibrated yet
}

// Report returns all facts about the device. It probes nothing.
func (d *Device) Report() Report {
	r := Report{Device: d, Quirks: d.Quirks(), QuirksOff: d.QuirksOff(), Calibration: d.loadCalibration(d.opts.CacheDir)}
	select {
	case d.probing <- struct{}{}:
		r.Caps = d.caps
		<-d.probing
	default: // being probed right now
	}
	if r.Caps == nil {
		r.Caps = d.knownCaps(d.opts.CacheDir)
	}
	return r
}

// Explain returns the ranking as a table: every device with the reason for its place, what was
// found and not used, and why. It opens and probes nothing: the proven capabilities of a device
// show once something has used it.
func (m *Machine) Explain() string {
	var b strings.Builder
	if m.LoadErr != nil {
		fmt.Fprintf(&b, "no OpenCL: %v\n", m.LoadErr)
	}
	if len(m.Devices) > 0 {
		m.table(&b)
	} else if m.LoadErr == nil {
		b.WriteString("no OpenCL device\n")
	}
	if len(m.Notes) > 0 {
		b.WriteString("\nfound and not used\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, n := range m.Notes {
			fmt.Fprintf(w, "  %s\t%s\n", n.What, n.Why)
		}
		_ = w.Flush() // a strings.Builder does not fail
	}
	return b.String()
}

func (m *Machine) table(b *strings.Builder) {
	chosen, err := m.Select("")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tdevice\tclass\tunits\tmemory\tlocal\tspeed\tname\twhy")
	listed := m.Devices
	if chosen != nil && chosen.whole != nil {
		listed = append(slices.Clone(listed), chosen)
	}
	for _, d := range listed {
		mark := ""
		if d == chosen {
			mark = "*"
		}
		about := "~"
		if d.Calibrated {
			about = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s%s\t%s\t%s\n", mark, d.ID, d.Class, d.Units,
			units.Bytes(d.GlobalMem), units.Bytes(d.LocalMem), about, speedText(d.GFLOPS), d.Name, d.Why)
	}
	_ = w.Flush()
	switch spec := strings.TrimSpace(m.spec); {
	case err != nil:
		fmt.Fprintf(b, "\nnothing selected: %v\n", err)
	case spec == "":
		fmt.Fprintf(b, "\n* selected: the best that computes\n")
	case m.env:
		fmt.Fprintf(b, "\n* selected: %s=%s\n", EnvDevice, spec)
	default:
		fmt.Fprintf(b, "\n* selected: %q was asked for\n", spec)
	}
}

// Explain describes one device: driver, limits, proven capabilities beside declared ones, the
// measured speeds and the quirks.
func (d *Device) Explain() string {
	r := d.Report()
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", d.ID, d.Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  platform\t%s, %s\n", d.PlatformName, d.PlatformVersion)
	fmt.Fprintf(w, "  driver\t%s\n", d.Driver)
	fmt.Fprintf(w, "  limits\t%d units, work-group %d, local %s, memory %s, one allocation %s, arguments %s\n",
		d.Units, d.MaxWorkGroup, units.Bytes(d.LocalMem), units.Bytes(d.GlobalMem), units.Bytes(d.MaxAlloc), units.Bytes(int64(d.ArgBytes)))
	fmt.Fprintf(w, "  divides\t%s\n", d.dividesText())
	if c := r.Calibration; c != nil {
		fmt.Fprintf(w, "  measured\tlaunch %s, wait %s, upload %s, download %s, copy %s, %s, divergence %.1f x\n",
			units.Duration(c.Launch), units.Duration(c.Wait), rateText(c.Upload), rateText(c.Download), rateText(c.Copy), speedText(c.GFLOPS),
			c.Divergence)
		for i, p := range c.Uploads {
			fmt.Fprintf(w, "  %s\tup in %s, down in %s\n",
				units.Bytes(p.Bytes), units.Duration(p.Time), units.Duration(c.Downloads.At(c.Uploads[i].Bytes)))
		}
		for _, p := range c.InlineUploads {
			fmt.Fprintf(w, "  %s\ton the calling thread, up in %s, down in %s\n",
				units.Bytes(p.Bytes), units.Duration(p.Time), units.Duration(c.InlineDownloads.At(p.Bytes)))
		}
	} else {
		fmt.Fprintf(w, "  measured\tnot yet\n")
	}
	_ = w.Flush()
	if r.Caps == nil {
		b.WriteString("\n  capabilities: not probed yet\n")
	} else {
		b.WriteString("\n")
		fmt.Fprintln(w, "  capability\tdeclared\tproven\tnote")
		for _, p := range r.Caps.Proofs {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", p.Name, yes(p.Declared), yes(p.Proven), p.Note)
		}
		_ = w.Flush()
		fmt.Fprintf(&b, "\n  FMA(a, b, c) is %s; language levels that build: %s\n", r.Caps.FMA, strings.Join(r.Caps.Stds, " "))
	}
	if len(r.Quirks) > 0 {
		b.WriteString("\n")
		fmt.Fprintln(w, "  quirk\tsymptom\tremedy")
		for _, q := range r.Quirks {
			name := q.Name
			if q.Forced {
				name += " (by " + EnvQuirks + ")"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\n", name, q.Symptom, q.Remedy)
		}
		_ = w.Flush()
	}
	if len(r.QuirksOff) > 0 {
		fmt.Fprintf(&b, "\n  switched off by %s: %s\n", EnvQuirks, strings.Join(r.QuirksOff, ", "))
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func rateText(bytesPerSecond float64) string { return fmt.Sprintf("%.1f GB/s", bytesPerSecond/1e9) }

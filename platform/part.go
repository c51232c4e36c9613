package platform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/grammar"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// A part of a device is a device of its own: it has fewer compute units, and memory and everything
// else with the other parts. Its name says how the whole is divided, and which of the parts is
// meant, so that the same text means the same part in every process.
//
// The driver's sub-device lives as long as something is open on it: a Device only describes. A
// part has no inline device, as the calling thread is none of its compute units.

// parts are the parts of a device that have been asked for.
type parts struct {
	sync.Mutex
	known map[string]*Device // by ID
}

// divides are the ways in which d can be divided: "equally", "by counts", and domains. A driver
// that must not be asked has none.
func (d *Device) divides() (ways []string) {
	if d.info == nil || d.has(quirk.NoParts) || d.info.MaxSubdevices < 2 || d.Units < 2 {
		return nil
	}
	lists := func(k cl.PartitionKind) bool { return slices.Contains(d.info.PartitionKinds, uint64(k)) }
	if lists(cl.PartitionEqually) {
		ways = append(ways, dividesEqually)
	}
	if lists(cl.PartitionByCounts) {
		ways = append(ways, dividesByCounts)
	}
	if lists(cl.PartitionByAffinity) {
		for _, a := range grammar.Domains {
			if d.info.PartitionDomains&a.Domain != 0 {
				ways = append(ways, a.Name)
			}
		}
	}
	return ways
}

const dividesEqually, dividesByCounts = "equally", "by counts"

// partition is the division that the driver is asked for. Errors: d cannot be divided so.
func (d *Device) partition(v *grammar.Division) (p cl.Partition, err error) {
	can := func(way string) bool { return slices.Contains(d.Divides, way) }
	unable := fmt.Errorf("%s cannot be divided", d.ID)
	if len(d.Divides) > 0 {
		unable = fmt.Errorf("%s is divided %s, and not as %s", d.ID, strings.Join(d.Divides, ", "), v.Way())
	}
	if v.Domain != 0 {
		if !can(v.Way()) {
			return p, unable
		}
		return cl.Partition{Kind: cl.PartitionByAffinity, Domain: v.Domain}, nil
	}
	number, sum := max(v.Equal, len(v.Counts)), v.Equal
	counts := v.Counts
	if counts != nil {
		sum = 0
		for _, n := range counts {
			sum += min(n, d.Units+1) // a sum that does not overflow
		}
	}
	switch {
	case len(d.Divides) == 0:
		return p, unable
	case sum > d.Units:
		return p, fmt.Errorf("%s has %d compute units, too few for %s", d.ID, d.Units, v.Way())
	case number > int(d.info.MaxSubdevices):
		return p, fmt.Errorf("%s has at most %d parts", d.ID, d.info.MaxSubdevices)
	case v.Equal > 0 && d.Units%v.Equal == 0 && can(dividesEqually):
		return cl.Partition{Kind: cl.PartitionEqually, Units: d.Units / v.Equal}, nil
	case !can(dividesByCounts):
		return p, unable
	}
	for i := range v.Equal {
		n := d.Units / v.Equal
		if i < d.Units%v.Equal {
			n++
		}
		counts = append(counts, n)
	}
	return cl.Partition{Kind: cl.PartitionByCounts, Counts: counts}, nil
}

// handle is the driver's device, which close releases where d is a part.
func (d *Device) handle() (h *cl.Device, err error) {
	if d.whole == nil {
		return d.cl, nil
	}
	whole, err := d.whole.handle()
	if err != nil {
		return nil, err
	}
	defer func() { // a part keeps the whole alive
		if cerr := whole.Close(); cerr != nil {
			err = errors.Join(err, cerr, h.Close())
			h = nil
		}
	}()
	p, err := d.whole.partition(&d.division)
	if err != nil {
		return nil, err
	}
	all, err := whole.Subdevices(p)
	if err != nil {
		return nil, err
	}
	for i, part := range all {
		if i == d.division.Number {
			h = part
		} else {
			err = errors.Join(err, part.Close())
		}
	}
	switch {
	case h == nil:
		of := d.whole.ID + "/" + d.division.Way()
		err = errors.Join(fmt.Errorf("of %s there are %d parts, the last is %s:%d", of, len(all), of, len(all)-1), err)
	case err != nil:
		err = errors.Join(err, h.Close())
	default:
		return h, nil
	}
	return nil, err
}

// part describes a part of d, which is the same Device whenever it is asked for. Errors: d has no such part.
func (d *Device) part(v grammar.Division) (r *Device, err error) {
	of := d.ID + "/" + v.Way()
	if _, err := d.partition(&v); err != nil {
		return nil, err
	}
	if v.Number < 0 {
		return nil, fmt.Errorf("which part is meant? the first is %s:0", of)
	}
	d.parts.Lock()
	defer d.parts.Unlock()
	id := fmt.Sprintf("%s:%d", of, v.Number)
	if r = d.parts.known[id]; r != nil {
		return r, nil
	}
	h, err := (&Device{whole: d, division: v}).handle()
	if err != nil {
		return nil, err
	}
	r = describe(h, d.switched)
	if err := h.Close(); err != nil {
		return nil, err
	}
	r.ID, r.whole, r.division, r.cl = id, d, v, d.cl
	r.opts, r.order, r.ordinal, r.Rank = d.opts, d.order, d.ordinal, d.Rank
	r.Why = fmt.Sprintf("%d of the %d compute units of %s", r.Units, d.Units, d.ID)
	if why := refuse(r); why != "" {
		return nil, fmt.Errorf("%s %s", id, why)
	}
	if c := r.loadCalibration(r.opts.CacheDir); c != nil {
		r.GFLOPS, r.Calibrated = c.GFLOPS, true
	}
	if d.parts.known == nil {
		d.parts.known = map[string]*Device{}
	}
	d.parts.known[id] = r
	return r, nil
}

// Whole returns the device that d is a part of, nil for a device that is whole.
func (d *Device) Whole() *Device { return d.whole }

// dividesText is a line for people.
func (d *Device) dividesText() string {
	switch {
	case len(d.Divides) > 0:
		return fmt.Sprintf("%s; the first half is %s/2:0", strings.Join(d.Divides, ", "), d.ID)
	case d.has(quirk.NoParts):
		return "not: its driver must not be asked"
	}
	return "not"
}

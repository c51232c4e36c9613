package platform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// A part of a device is a device of its own: it has fewer compute units, and memory and
// everything else with the other parts. What it is asked for by says how the whole is divided, and
// which of the parts is meant, so that the same text means the same part in every process.
//
// The driver's sub-device lives as long as something is open on it: a Device only describes. A
// part has no companion, as the calling thread is none of its compute units.

// division is a way to divide a device, and one of the parts.
type division struct {
	equal  int   // as many parts as this, whose sizes differ by one unit at most
	counts []int // or parts of a given number of units
	domain cl.AffinityDomain
	number int // -1: none is named
}

// parts are those of a device that somebody has asked for.
type parts struct {
	sync.Mutex
	known map[string]*Device // by ID
}

// domains are the names of parts of the memory hierarchy.
var domains = []struct {
	name   string
	domain cl.AffinityDomain
}{
	{"numa", cl.AffinityNUMA}, {"l4", cl.AffinityL4}, {"l3", cl.AffinityL3}, {"l2", cl.AffinityL2}, {"l1", cl.AffinityL1},
	{"next", cl.AffinityNextPartitionable},
}

// parseDivision reads what stands behind the slash: "4:1", "1+3:0", "numa:1".
func parseDivision(text string) (v division, ok bool) {
	how, number, named := strings.Cut(text, ":")
	v.number = -1
	if named {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return v, false
		}
		v.number = n
	}
	for _, d := range domains {
		if how == d.name {
			v.domain = d.domain
			return v, true
		}
	}
	for s := range strings.SplitSeq(how, "+") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return v, false
		}
		v.counts = append(v.counts, n)
	}
	if len(v.counts) == 1 {
		v.equal, v.counts = v.counts[0], nil
	}
	return v, true
}

// way is how the device is divided, in the words of a spec.
func (v *division) way() string {
	for _, d := range domains {
		if v.domain == d.domain {
			return d.name
		}
	}
	if v.equal > 0 {
		return strconv.Itoa(v.equal)
	}
	text := make([]string, len(v.counts))
	for i, n := range v.counts {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, "+")
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
		for _, a := range domains {
			if d.info.PartitionDomains&a.domain != 0 {
				ways = append(ways, a.name)
			}
		}
	}
	return ways
}

const dividesEqually, dividesByCounts = "equally", "by counts"

// partition is what the driver is asked for. Errors: d cannot be divided so.
func (d *Device) partition(v *division) (p cl.Partition, err error) {
	can := func(way string) bool { return slices.Contains(d.Divides, way) }
	unable := fmt.Errorf("%s cannot be divided", d.ID)
	if len(d.Divides) > 0 {
		unable = fmt.Errorf("%s is divided %s, and not as %s", d.ID, strings.Join(d.Divides, ", "), v.way())
	}
	if v.domain != 0 {
		if !can(v.way()) {
			return p, unable
		}
		return cl.Partition{Kind: cl.PartitionByAffinity, Domain: v.domain}, nil
	}
	number, sum := max(v.equal, len(v.counts)), v.equal
	counts := v.counts
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
		return p, fmt.Errorf("%s has %d compute units, too few for %s", d.ID, d.Units, v.way())
	case number > int(d.info.MaxSubdevices):
		return p, fmt.Errorf("%s has at most %d parts", d.ID, d.info.MaxSubdevices)
	case v.equal > 0 && d.Units%v.equal == 0 && can(dividesEqually):
		return cl.Partition{Kind: cl.PartitionEqually, Units: d.Units / v.equal}, nil
	case !can(dividesByCounts):
		return p, unable
	}
	for i := range v.equal {
		n := d.Units / v.equal
		if i < d.Units%v.equal {
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
	defer func() { // a part keeps alive what it is a part of
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
		if i == d.division.number {
			h = part
		} else {
			err = errors.Join(err, part.Close())
		}
	}
	switch {
	case h == nil:
		of := d.whole.ID + "/" + d.division.way()
		err = errors.Join(fmt.Errorf("of %s there are %d parts, the last is %s:%d", of, len(all), of, len(all)-1), err)
	case err != nil:
		err = errors.Join(err, h.Close())
	default:
		return h, nil
	}
	return nil, err
}

// part describes a part of d, which is the same Device whenever it is asked for. Errors: d has no such part.
func (d *Device) part(v division) (r *Device, err error) {
	of := d.ID + "/" + v.way()
	if _, err := d.partition(&v); err != nil {
		return nil, err
	}
	if v.number < 0 {
		return nil, fmt.Errorf("which part is meant? the first is %s:0", of)
	}
	d.parts.Lock()
	defer d.parts.Unlock()
	id := fmt.Sprintf("%s:%d", of, v.number)
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
	r.opts, r.order, r.twin, r.Rank = d.opts, d.order, d.twin, d.Rank
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

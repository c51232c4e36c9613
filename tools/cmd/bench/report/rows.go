// Package report makes tables and plots of the records that package
// tools/internal/bench has written. Nothing in them is written by hand.
package report

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/anycl/anycl/tools/internal/bench"
)

// machine holds the measurements of one device of one machine.
type machine struct {
	key     string // the vendor's, of notes
	file    string // in file names: the key, and the processor where that tells machines apart
	title   string
	records []*bench.Record // of ours, the latest of each work, in the order of Works
	notes   []Note
}

// machines sorts records by device. Of a work that was measured several times the
// latest counts.
func machines(records []bench.Record) []*machine {
	order := map[string]int{}
	for i, w := range slices.Concat(bench.Works(), bench.PlacementWorks()) {
		order[w.Name] = i + 1
	}
	type place struct{ device, work string }
	latest := map[place]*bench.Record{}
	for i := range records {
		r := &records[i]
		p := place{r.Context.Device + " on " + r.Context.Processor(), r.Work}
		if old := latest[p]; r.Ours && order[r.Work] > 0 && (old == nil || old.Context.Time.Before(r.Context.Time)) {
			latest[p] = r
		}
	}
	byDevice := map[string]*machine{}
	for p, r := range latest {
		m := byDevice[p.device]
		if m == nil {
			m = &machine{key: key(r.Context.Device), title: title(r)}
			byDevice[p.device] = m
		}
		m.records = append(m.records, r)
	}
	for _, m := range byDevice {
		slices.SortFunc(m.records, func(a, b *bench.Record) int { return cmp.Compare(order[a.Work], order[b.Work]) })
	}
	all := slices.SortedFunc(maps.Values(byDevice), func(a, b *machine) int { return strings.Compare(a.title, b.title) })
	for i, m := range all {
		m.file = m.key
		if slices.ContainsFunc(all[:i], func(o *machine) bool { return o.key == m.key }) {
			m.file += "-" + slug(m.records[0].Context.Processor())
		}
	}
	return all
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// slug is a name as a part of a file's.
func slug(name string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// key is the vendor's in "nvidia:0 NVIDIA H200".
func key(device string) string {
	k, _, _ := strings.Cut(device, ":")
	return cmp.Or(k, "cpu")
}

func title(r *bench.Record) string {
	if r.Context.Device == "" {
		return "CPU path on " + r.Context.Processor()
	}
	if _, name, ok := strings.Cut(r.Context.Device, " "); ok && !strings.Contains(name, r.Context.CPU) {
		return name
	}
	return r.Context.Processor() + ", " + key(r.Context.Device) + " " + r.Context.Driver
}

// sections are the records by section, in order.
func (m *machine) sections() (titles []string, rows map[string][]*bench.Record) {
	rows = map[string][]*bench.Record{}
	for _, r := range m.records {
		if rows[r.Section] == nil {
			titles = append(titles, r.Section)
		}
		rows[r.Section] = append(rows[r.Section], r)
	}
	return titles, rows
}

// others are the contenders that any of the records has a ratio to.
func others(records []*bench.Record) []string {
	seen := map[string]bool{}
	for _, r := range records {
		for name := range r.Ratios {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

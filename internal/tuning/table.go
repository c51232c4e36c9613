// Package tuning keeps the tuner's results: for a device and its driver, which kernel variant runs
// a kind of task fastest, and with which parameters.
//
// A table is advice. Its reader checks an entry against the declared space of the variant, so an
// entry that is wrong, or of another time, changes nothing.
package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/anycl/anycl/kernels"
)

// Entry is the best way found to run one kind of task.
type Entry struct {
	Family  string         `json:"family"`  // "contract"
	Task    string         `json:"task"`    // the properties that decide the speed: dtypes, layout, sizes rounded to powers of two
	Variant string         `json:"variant"` // of the family
	Params  kernels.Params `json:"params,omitempty"`
	Gain    float64        `json:"gain"`               // time of the default divided by time of this
	Default string         `json:"default,omitempty"`  // the rule's choice
	Measure string         `json:"measured,omitempty"` // the sizes it was measured at
}

// valid reports whether an entry says anything at all.
func (e *Entry) valid() bool {
	return e.Family != "" && e.Task != "" && e.Variant != "" && e.Gain > 0 && !math.IsInf(e.Gain, 0)
}

// Why is the reason for taking it, for people.
func (e *Entry) Why() string {
	why := fmt.Sprintf("tuned: %.2f x the default", e.Gain)
	if e.Default != "" {
		why += " (" + e.Default + ")"
	}
	return why
}

type key struct{ family, task string }

// Table holds entries, one for each kind of task. Nil is an empty table. It is
// not changed once it is in use.
type Table struct{ entries map[key]Entry }

// Of makes a table; of two entries for the same task the later counts.
func Of(entries ...Entry) *Table {
	t := &Table{entries: map[key]Entry{}}
	for _, e := range entries {
		if e.valid() {
			t.entries[key{e.Family, e.Task}] = e
		}
	}
	return t
}

// Find is the entry for a task.
func (t *Table) Find(family, task string) (Entry, bool) {
	if t == nil {
		return Entry{}, false
	}
	e, ok := t.entries[key{family, task}]
	return e, ok
}

// Len counts the entries.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.entries)
}

// Entries are in the order of family and task.
func (t *Table) Entries() []Entry {
	if t == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(t.entries), func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Task, b.Task))
	})
}

// With is the table with the entries of others over its own.
func (t *Table) With(others ...*Table) *Table {
	all := t.Entries()
	for _, o := range others {
		all = append(all, o.Entries()...)
	}
	return Of(all...)
}

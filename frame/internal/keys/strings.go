package keys

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// interner numbers distinct strings in order of appearance. By the design of its table, 8 bytes a slot beside entries
// with the ends of each string, a look-up of a string of up to 16 bytes touches two lines of memory.
type interner struct {
	slots   []slot
	shift   int
	entries []entry
}

type slot struct{ tag, id uint32 } // id+1; 0 is free

type entry struct {
	word
	s string
}

func newInterner() *interner { return &interner{slots: make([]slot, 256), shift: 64 - 8} }

// find returns the number of s, and adds it if it is new.
func (t *interner) find(s string) uint32 {
	w := wordOf(s)
	h := hashString(s, w)
	for i := h >> t.shift; ; i = (i + 1) & uint64(len(t.slots)-1) {
		sl := t.slots[i]
		if sl.id == 0 {
			t.entries = append(t.entries, entry{w, s})
			t.slots[i] = slot{uint32(h), uint32(len(t.entries))}
			if 2*len(t.entries) > len(t.slots) {
				t.grow()
			}
			return uint32(len(t.entries) - 1)
		}
		if sl.tag == uint32(h) {
			if e := &t.entries[sl.id-1]; e.word == w && len(e.s) == len(s) && (len(s) <= 16 || e.s == s) {
				return sl.id - 1
			}
		}
	}
}

// look returns the number of s, or false.
func (t *interner) look(s string) (uint32, bool) {
	w := wordOf(s)
	h := hashString(s, w)
	for i := h >> t.shift; ; i = (i + 1) & uint64(len(t.slots)-1) {
		sl := t.slots[i]
		if sl.id == 0 {
			return 0, false
		}
		if sl.tag == uint32(h) {
			if e := &t.entries[sl.id-1]; e.word == w && len(e.s) == len(s) && (len(s) <= 16 || e.s == s) {
				return sl.id - 1, true
			}
		}
	}
}

func (t *interner) grow() {
	t.shift -= 2
	t.slots = make([]slot, 4*len(t.slots))
	for id := range t.entries {
		e := &t.entries[id]
		h := hashString(e.s, e.word)
		i := h >> t.shift
		for t.slots[i].id != 0 {
			i = (i + 1) & uint64(len(t.slots)-1)
		}
		t.slots[i] = slot{uint32(h), uint32(id + 1)}
	}
}

// Interned is a column of strings as numbers of distinct strings.
type Interned struct {
	Codes []uint32 // of no meaning where the value is null
	Count int
	dict  *column.Column // of a dictionary column
	table *interner      // nil for one

	once sync.Once
	look func(string) (uint32, bool)
}

// text returns the string with a number.
func (d *Interned) text(code int) string {
	if d.dict != nil {
		return d.dict.Text(code)
	}
	return d.table.entries[code].s
}

// Dictionary returns the distinct strings as a column.
func (d *Interned) Dictionary() *column.Column {
	if d.dict != nil {
		return d.dict
	}
	b := column.NewBuilder(column.String.Of(), d.Count)
	for i := range d.table.entries {
		b.Text(d.table.entries[i].s)
	}
	return b.Finish()
}

// Intern numbers the strings of a column. Each stripe has a table of its own; the tables of the other stripes are added to the first one.
func Intern(p par.Pool, c *column.Column) (*Interned, error) {
	if dict := c.Dictionary(); dict != nil {
		return &Interned{Codes: asUnsigned(column.Values[int32](c)), Count: dict.Len(), dict: dict}, nil
	}
	n := c.Len()
	codes := make([]uint32, n)
	tables := make([]*interner, p.Stripes(n))
	err := p.Striped(n, func(k, lo, hi int) error {
		t := newInterner()
		tables[k] = t
		part := c.Slice(lo, hi)
		if offs := part.Offsets32(); offs != nil {
			internRange(t, codes[lo:hi], part, offs)
		} else {
			internRange(t, codes[lo:hi], part, part.Offsets64())
		}
		return p.Context.Err()
	})
	if err != nil {
		return nil, err
	}
	to := make([][]uint32, len(tables))
	for k, t := range tables[1:] {
		to[k+1] = make([]uint32, len(t.entries))
		for i := range t.entries {
			to[k+1][i] = tables[0].find(t.entries[i].s)
		}
	}
	err = p.Striped(n, func(k, lo, hi int) error {
		if m := to[k]; len(m) > 0 {
			part := codes[lo:hi]
			for i, code := range part {
				part[i] = m[code]
			}
		}
		return nil
	})
	return &Interned{Codes: codes, Count: len(tables[0].entries), table: tables[0]}, err
}

func internRange[O int32 | int64](t *interner, dst []uint32, c *column.Column, offs []O) {
	text := c.Data()
	nulls := c.Nulls() > 0
	for i := range dst {
		if nulls && c.IsNull(i) {
			// A null has the number of the first string, so that to[code] exists; without any string there is no such array.
			continue
		}
		dst[i] = t.find(view(text[offs[i]:offs[i+1]]))
	}
}

// Ranks returns for each number the position of its string in the order of bytes, which is that of code points.
func (d *Interned) Ranks() []uint32 {
	order := make([]uint32, d.Count)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(d.text(int(a)), d.text(int(b))) })
	ranks := make([]uint32, d.Count)
	for r, code := range order {
		ranks[code] = uint32(r)
	}
	return ranks
}

// finder returns a function that finds numbers of strings. It is made when it is first asked for, by whichever goroutine that is.
func (d *Interned) finder() func(string) (uint32, bool) {
	d.once.Do(func() {
		t := d.table
		if t == nil {
			t = newInterner()
			for i := range d.dict.Len() {
				t.find(d.dict.Text(i))
			}
		}
		d.look = t.look
	})
	return d.look
}

const none = math.MaxUint32

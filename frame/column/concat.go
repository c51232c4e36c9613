package column

import (
	"fmt"
	"slices"
	"unsafe"
)

// Concat joins columns of one type, of strings also of different layouts: dictionaries stay one if all have the same
// or are joined to one, plain strings get the offsets they need. Errors: no column, types that differ.
func Concat(cols ...*Column) (*Column, error) {
	if len(cols) == 0 {
		return nil, fmt.Errorf("column: nothing to join")
	}
	if len(cols) == 1 {
		return cols[0], nil
	}
	first := cols[0]
	n, nulls := 0, 0
	same := true
	for _, c := range cols {
		n += c.n
		nulls += c.nulls
		if c.typ != first.typ {
			if !c.typ.IsString() || !first.typ.IsString() {
				return nil, fmt.Errorf("column: %s and %s cannot be joined", first.typ, c.typ)
			}
			same = false
		}
	}
	out := &Column{typ: first.typ, n: n}
	if nulls > 0 {
		out.valid, out.nulls = NewBitmap(n), nulls
		at := 0
		for _, c := range cols {
			ones := c.Validity()
			copyBits(out.valid, at, ones, c.n)
			at += c.n
		}
	}
	switch {
	case first.typ.IsString() && (!same || first.typ.Kind != Dictionary):
		out.joinText(cols)
	case first.typ.Kind == Dictionary:
		out.joinDictionaries(cols)
	case first.typ.Kind == Bool:
		out.bits = NewBitmap(n)
		at := 0
		for _, c := range cols {
			copyBits(out.bits, at, c.bits, c.n)
			at += c.n
		}
	default:
		if out.data = neighbours(cols); out.data != nil {
			return out, nil
		}
		out.data = bytesOf(alloc[uint64]((n*first.typ.Width() + 7) / 8))[:n*first.typ.Width()]
		at := 0
		for _, c := range cols {
			at += copy(out.data[at:], c.data)
		}
	}
	return out, nil
}

// neighbours returns the values of columns of fixed width that follow each other in the memory of one slice, nil if they do not.
func neighbours(cols []*Column) []byte {
	data := cols[0].data
	for _, c := range cols[1:] {
		n := len(data)
		switch {
		case len(c.data) == 0:
			continue
		case n == 0 || cap(data)-n < len(c.data) || unsafe.SliceData(data[n:n+1]) != unsafe.SliceData(c.data):
			return nil
		}
		data = data[:n+len(c.data)]
	}
	return data
}

// copyBits copies n bits, ones if there is no bitmap, to position at of dst, whose bits from there on are 0.
func copyBits(dst Bitmap, at int, src Bitmap, n int) {
	for k := 0; k < n; k += 64 {
		w := ^uint64(0)
		if !src.IsNone() {
			w = src.Word(k / 64)
		}
		if n-k < 64 {
			w &= 1<<(n-k) - 1
		}
		p := dst.off + at + k
		i, shift := p>>3, p&7
		for j, low := 0, w<<shift; low != 0; j, low = j+1, low>>8 {
			dst.bits[i+j] |= byte(low)
		}
		if high := byte(w >> (64 - shift)); shift != 0 && high != 0 {
			dst.bits[i+8] |= high
		}
	}
}

func (c *Column) joinDictionaries(cols []*Column) {
	c.dict, c.data = cols[0].dict, neighbours(cols)
	if !slices.ContainsFunc(cols, func(d *Column) bool { return d.dict != c.dict }) {
		if c.data == nil {
			codes := alloc[int32](c.n)
			c.data = bytesOf(codes)
			at := 0
			for _, d := range cols {
				at += copy(codes[at:], cast[int32](d.data))
			}
		}
		return
	}
	b := NewBuilder(Dictionary.Of(), 0)
	to := make([][]int32, len(cols)) // new codes; nil where they are the old ones
	changed := false
	known := map[*Column][]int32{}
	for i, d := range cols {
		if codes, ok := known[d.dict]; ok {
			to[i] = codes
			continue
		}
		same := true
		codes := make([]int32, d.dict.n)
		for k := range codes {
			s := d.dict.Text(k)
			code, ok := b.codes[s]
			if !ok {
				code = int32(b.dict.n)
				b.dict.Text(s)
				b.codes[s] = code
			}
			codes[k] = code
			same = same && code == int32(k)
		}
		if !same {
			to[i], changed = codes, true
		}
		known[d.dict] = to[i]
	}
	c.dict = b.dict.Finish()
	if c.data != nil && !changed {
		return
	}
	out := alloc[int32](c.n)
	c.data = bytesOf(out)
	at := 0
	for i, d := range cols {
		codes := cast[int32](d.data)
		if to[i] == nil {
			at += copy(out[at:], codes)
			continue
		}
		for _, k := range codes {
			if uint(k) < uint(len(to[i])) {
				out[at] = to[i][k]
			}
			at++
		}
	}
}

func (c *Column) joinText(cols []*Column) {
	plain := make([]*Column, len(cols))
	var size int64
	large := c.typ.Kind == LargeString // if all are
	for i, d := range cols {
		large = large && d.typ.Kind == LargeString
		plain[i] = d.Plain()
		from, to := plain[i].textRange()
		size += to - from
	}
	c.text = make([]byte, 0, size)
	c.typ = String.Of()
	if size > maxText32 || large {
		c.typ, c.offs64 = LargeString.Of(), alloc[int64](c.n+1)
		fillOffsets(c.offs64, plain)
	} else {
		c.offs32 = alloc[int32](c.n + 1)
		fillOffsets(c.offs32, plain)
	}
	for _, d := range plain {
		from, to := d.textRange()
		c.text = append(c.text, d.text[from:to]...)
	}
}

func fillOffsets[O int32 | int64](dst []O, cols []*Column) {
	at, base := 1, int64(0)
	for _, d := range cols {
		from, to := d.textRange()
		if d.offs64 != nil {
			for _, o := range d.offs64[1:] {
				dst[at] = O(o - from + base)
				at++
			}
		} else {
			for _, o := range d.offs32[1:] {
				dst[at] = O(int64(o) - from + base)
				at++
			}
		}
		base += to - from
	}
}

func (c *Column) textRange() (from, to int64) {
	if c.offs64 != nil {
		return c.offs64[0], c.offs64[c.n]
	}
	return int64(c.offs32[0]), int64(c.offs32[c.n])
}

// Plain returns a column of strings without dictionary, the column itself if it has none.
func (c *Column) Plain() *Column {
	if c.dict == nil {
		return c
	}
	b := NewBuilder(String.Of(), c.n)
	for i := range c.n {
		if c.IsNull(i) {
			b.Null()
		} else {
			b.Text(c.Text(i))
		}
	}
	return b.Finish()
}

// Encode returns a column of strings with a dictionary in order of appearance, the column itself if it has one.
func (c *Column) Encode() (*Column, error) {
	if c.dict != nil {
		return c, nil
	}
	if !c.typ.IsString() {
		return nil, fmt.Errorf("column: %s has no dictionary", c.typ)
	}
	b := NewBuilder(Dictionary.Of(), c.n)
	for i := range c.n {
		b.Append(c, i)
	}
	return b.Finish(), nil
}

package tensor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	summariseAbove = 1000 // elements, as NumPy
	edgeItems      = 3    // shown at each end of a summarised axis
	lineWidth      = 78
	maxDecimals    = 8
)

// String returns the dtype, the shape and the elements, laid out as NumPy does: columns aligned,
// the middle of long axes left out.
//
//	float32 [2 3]
//	[[ 1.   2.5  3. ]
//	 [-4.   5.   6. ]]
func (t *Tensor) String() string { return t.layout(-1, 0) }

// Format implements [fmt.Formatter]. The verbs e, f and g, with or without a precision, apply to
// each element of a tensor of floats or complex numbers; v and s are [Tensor.String].
func (t *Tensor) Format(state fmt.State, verb rune) {
	precision, given := state.Precision()
	if !given {
		precision = -1
	}
	switch {
	case t == nil:
		fmt.Fprint(state, "<nil>")
	case verb == 'v' || verb == 's':
		fmt.Fprint(state, t.layout(-1, 0))
	case verb == 'e' || verb == 'f' || verb == 'g':
		fmt.Fprint(state, t.layout(precision, byte(verb)))
	default:
		fmt.Fprintf(state, "%%!%c(*tensor.Tensor=%s %s)", verb, t.dtype, ShapeString(t.shape))
	}
}

// layout prints t; verb 0 chooses how to print floats by their values.
func (t *Tensor) layout(precision int, verb byte) string {
	if !t.dtype.Valid() {
		return "invalid tensor"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", t.dtype, ShapeString(t.shape))
	if t.n == 0 {
		return b.String()
	}
	p := printer{t: t, summary: t.n > summariseAbove}
	p.collect(0, t.offset)
	if verb != 0 && t.dtype.Part().IsFloat() {
		p.formatAs(verb, precision)
	} else {
		p.format()
	}
	if t.Rank() == 0 {
		b.WriteString(" " + p.cells[0])
		return b.String()
	}
	b.WriteByte('\n')
	p.write(&b, 0)
	return b.String()
}

// printer formats the shown elements of t in two passes, because a column is as wide as its widest cell.
type printer struct {
	t       *Tensor
	summary bool
	offsets []int    // of the shown elements, in order
	cells   []string // their text, all of one width
}

// shown calls visit with each shown index of an axis, and with -1 for those left out.
func (p *printer) shown(axis int, visit func(i int)) {
	size := p.t.shape[axis]
	if !p.summary || size <= 2*edgeItems {
		for i := range size {
			visit(i)
		}
		return
	}
	for i := range edgeItems {
		visit(i)
	}
	visit(-1)
	for i := range edgeItems {
		visit(size - edgeItems + i)
	}
}

func (p *printer) collect(axis, offset int) {
	if axis == p.t.Rank() {
		p.offsets = append(p.offsets, offset)
		return
	}
	p.shown(axis, func(i int) {
		if i >= 0 {
			p.collect(axis+1, offset+i*p.t.strides[axis])
		}
	})
}

// write lays out the cells of one axis, consuming them.
func (p *printer) write(b *strings.Builder, axis int) {
	rank := p.t.Rank()
	indent := strings.Repeat(" ", axis+1)
	b.WriteByte('[')
	first, column := true, axis+1
	p.shown(axis, func(i int) {
		if axis == rank-1 {
			cell := "..."
			if i >= 0 {
				cell, p.cells = p.cells[0], p.cells[1:]
			}
			switch {
			case first:
			case column+1+len(cell) > lineWidth:
				b.WriteString("\n" + indent)
				column = axis + 1
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(cell)
			column += len(cell)
			first = false
			return
		}
		if !first { // blank lines set planes apart, one more for each axis above
			b.WriteString(strings.Repeat("\n", rank-1-axis) + indent)
		}
		first = false
		if i < 0 {
			b.WriteString("...")
			return
		}
		p.write(b, axis+1)
	})
	b.WriteByte(']')
}

// formatAs formats the cells as one verb and precision say.
func (p *printer) formatAs(verb byte, precision int) {
	for _, offset := range p.offsets {
		p.cells = append(p.cells, p.t.textAs(offset, verb, precision))
	}
	p.pad(func(string) int { return 0 })
}

// format formats the cells: floats with as many decimals as tell them apart (at most
// maxDecimals), all plain or all scientific, aligned at the point.
func (p *printer) format() {
	if !p.t.dtype.IsFloat() {
		for _, offset := range p.offsets {
			p.cells = append(p.cells, p.t.text(offset))
		}
		p.pad(func(string) int { return 0 })
		return
	}
	smallest, largest := math.Inf(1), 0.0
	for _, offset := range p.offsets {
		if v := math.Abs(p.t.float(offset)); v > 0 && !math.IsInf(v, 0) {
			smallest, largest = min(smallest, v), max(largest, v)
		}
	}
	scientific := largest >= 1e8 || smallest < 1e-4
	digits := 1 // decimals of the mantissa, one for all
	for _, offset := range p.offsets {
		v := p.t.float(offset)
		if _, frac, ok := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "."); scientific && ok {
			digits = max(digits, min(strings.IndexByte(frac, 'e'), maxDecimals))
		}
	}
	for _, offset := range p.offsets {
		v := p.t.float(offset)
		switch {
		case math.IsNaN(v):
			p.cells = append(p.cells, "nan")
		case math.IsInf(v, 0):
			p.cells = append(p.cells, strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+")))
		case scientific:
			p.cells = append(p.cells, strconv.FormatFloat(v, 'e', digits, 64))
		default:
			p.cells = append(p.cells, plain(v))
		}
	}
	p.pad(func(cell string) int {
		if point := strings.IndexByte(cell, '.'); point >= 0 && !scientific {
			return len(cell) - point
		}
		return 0
	})
}

// plain prints v without an exponent: "1.", "0.25".
func plain(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	point := strings.IndexByte(s, '.')
	if point < 0 {
		return s + "."
	}
	if len(s)-point-1 > maxDecimals {
		s = strings.TrimRight(strconv.FormatFloat(v, 'f', maxDecimals, 64), "0")
	}
	return s
}

// pad brings all cells to one width, with the same number of characters after where tail says
// the whole part ends. A cell without a tail (nan) stands at the right.
func (p *printer) pad(tail func(string) int) {
	left, right, whole := 0, 0, 0
	for _, c := range p.cells {
		if n := tail(c); n > 0 {
			left, right = max(left, len(c)-n), max(right, n)
		} else {
			whole = max(whole, len(c))
		}
	}
	width := max(left+right, whole)
	for i, c := range p.cells {
		if n := tail(c); n > 0 {
			c += strings.Repeat(" ", right-n)
		}
		p.cells[i] = strings.Repeat(" ", width-len(c)) + c
	}
	if p.t.Rank() == 0 {
		p.cells[0] = strings.TrimSpace(p.cells[0])
	}
}

// float returns the float in storage as the float64 with the fewest decimal digits that reads
// back as it in its own dtype: a float32 prints as 0.1, not as 0.10000000149011612.
func (t *Tensor) float(offset int) float64 {
	v := t.loadOne(offset)
	switch t.dtype {
	case Float16:
		return shortest(v, halfParse)
	case BFloat16:
		return shortest(v, bf16Parse)
	case Float32:
		return shortestFloat32(v)
	}
	return v
}

func shortestFloat32(v float64) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil { // cannot be: every float32 reads back
		return v
	}
	return near
}

// textAs prints one float, or the two of a complex number, as verb and precision say: 1.5-2i.
func (t *Tensor) textAs(offset int, verb byte, precision int) string {
	if !t.dtype.IsComplex() {
		return strconv.FormatFloat(t.float(offset), verb, precision, 64)
	}
	parts := t.parts()
	re := strconv.FormatFloat(parts.float(2*offset), verb, precision, 64)
	im := strconv.FormatFloat(parts.float(2*offset+1), verb, precision, 64)
	if im[0] != '-' && im[0] != '+' {
		im = "+" + im
	}
	return re + im + "i"
}

// text prints one element, exactly enough to read it back.
func (t *Tensor) text(offset int) string {
	switch {
	case t.dtype.Part().IsFloat():
		return t.textAs(offset, 'g', -1)
	case t.dtype == Bool:
		return strconv.FormatBool(storage[bool](t)[offset])
	}
	negative, magnitude := signAndMagnitude(t, offset)
	s := strconv.FormatUint(magnitude, 10)
	if negative {
		s = "-" + s
	}
	return s
}

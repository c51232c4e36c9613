package serve

import (
	"math"
	"strconv"
	"unsafe"
)

// decimal is a number as JSON has it, ±digits·10^exp where short, and its text.
type decimal struct {
	word   []byte
	digits uint64
	exp    int
	short  bool // digits are all of its digits
	neg    bool
}

// decimal reads a number by the grammar of JSON, RFC 8259 section 6.
func (p *parser) decimal() (d decimal, ok bool) {
	s, i := p.text, p.at
	if i < len(s) && s[i] == '-' {
		d.neg = true
		i++
	}
	from := i
	for ; i < len(s) && s[i]-'0' < 10; i++ {
		d.digits = d.digits*10 + uint64(s[i]-'0')
	}
	count := i - from
	if count == 0 || count > 1 && s[from] == '0' {
		return d, false
	}
	if i < len(s) && s[i] == '.' {
		i++
		from = i
		for ; i < len(s) && s[i]-'0' < 10; i++ {
			d.digits = d.digits*10 + uint64(s[i]-'0')
		}
		if i == from {
			return d, false
		}
		d.exp = from - i
		count += i - from
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		minus := i < len(s) && s[i] == '-'
		if minus || i < len(s) && s[i] == '+' {
			i++
		}
		from = i
		e := 0
		for ; i < len(s) && s[i]-'0' < 10; i++ {
			e = min(e*10+int(s[i]-'0'), 1<<20)
		}
		if i == from {
			return d, false
		}
		if minus {
			e = -e
		}
		d.exp += e
	}
	d.word, d.short = s[p.at:i], count <= 19 // which are less than 2^64
	p.at = i
	return d, true
}

// powers are those of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22}

// approximate is within two units in the last place of the number where ok, and the nearest float64 where digits are less than 2^53:
// conversion and product or quotient are rounded once each.
func (d *decimal) approximate() (f float64, ok bool) {
	f = float64(d.digits)
	switch {
	case !d.short || d.exp < -22 || d.exp > 22:
		return 0, false
	case d.exp < 0:
		f /= powers[-d.exp]
	default:
		f *= powers[d.exp]
	}
	if d.neg {
		f = -f
	}
	return f, true
}

func (d *decimal) float64() (float64, error) {
	if f, ok := d.approximate(); ok && d.digits < 1<<53 {
		return f, nil
	}
	return strconv.ParseFloat(d.text(), 64)
}

// float32 rounds near, except where a number so close may round otherwise: by halfway between two float32, and outside of
// the normal ones.
func (d *decimal) float32() (float32, error) {
	if f, ok := d.approximate(); ok {
		const rest = 1<<29 - 1 // the bits that a float32 does not have
		halfway := int64(math.Float64bits(f)&rest) - 1<<28
		if a := math.Abs(f); (halfway < -2 || halfway > 2) && a >= 0x1p-126 && a < 0x1p127 || a == 0 {
			return float32(f), nil
		}
	}
	f, err := strconv.ParseFloat(d.text(), 32)
	return float32(f), err
}

// text is the text of the number, which has one character at least.
func (d *decimal) text() string { return unsafe.String(&d.word[0], len(d.word)) }

package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// layout holds the properties of a file that are found before its rows are read.
type layout struct {
	comma  byte
	header bool
	fields []frame.Field
	nulls  []string
}

// misfit is the error of a field that its column's type does not have.
type misfit struct {
	place
	name, text string
	typ        column.Type
}

// place is where an error is: the line and the byte in it, both from 1.
type place struct{ line, at int }

func (e *misfit) Error() string {
	text := e.text
	if len(text) > 40 {
		text = text[:37] + "..."
	}
	return fmt.Sprintf("line %d, byte %d: %q of column %q is no %s", e.line, e.at, text, e.name, e.typ)
}

func asMisfit(err error, m **misfit) bool { return errors.As(err, m) }

// malformed is the error of a row that is none.
type malformed struct {
	place
	what string
}

func (e *malformed) Error() string { return fmt.Sprintf("line %d, byte %d: %s", e.line, e.at, e.what) }

// sampled is how many bytes are looked at for types, at first. Tests make it small.
var sampled = 1 << 20

// separator is the byte between fields.
func (o Options) separator() (byte, error) {
	switch o.Comma {
	case 0:
		return ',', nil
	case '"', '\n', '\r':
		return 0, fmt.Errorf("%q cannot separate fields", o.Comma)
	}
	return o.Comma, nil
}

// inferLayout reads names and the first rows.
func inferLayout(r io.Reader, o Options) (*layout, error) {
	comma, err := o.separator()
	if err != nil {
		return nil, err
	}
	if o.Sample < 0 {
		return nil, fmt.Errorf("types cannot be inferred from %d rows", o.Sample)
	}
	l := &layout{comma: comma, header: !o.NoHeader, nulls: o.Null}
	if l.nulls == nil {
		l.nulls = []string{""}
	}
	rows := o.Sample
	if rows == 0 {
		rows = 10_000
	}
	s := &scanner{comma: l.comma}
	end := false
	var first []string
	var guesses []guess
	for size := sampled; ; size *= 4 { // until the names and a row fit
		more := make([]byte, size-len(s.data))
		n, err := io.ReadFull(r, more)
		s.data = append(s.data, more[:n]...)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			end = true
		case err != nil:
			return nil, err
		}
		s.start()
		first, guesses = nil, nil
		err = l.sample(s, rows, end, &first, &guesses)
		if err == errCut && !end {
			continue
		}
		if err != nil && err != errCut {
			return nil, err
		}
		break
	}
	return l, l.name(o, first, guesses)
}

var errCut = errors.New("the data ends within a row")

// sample reads rows for guesses, of which the first may be names; lines without a field are none. A row that the data cuts off
// counts for nothing, unless there is no other.
func (l *layout) sample(s *scanner, rows int, end bool, first *[]string, guesses *[]guess) error {
	for row := 0; row <= rows && s.pos < len(s.data); {
		fields, err := s.row(end)
		if err == errCut {
			if row == 0 || row == 1 && l.header {
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
		if fields == nil {
			continue
		}
		if row == 0 {
			for _, f := range fields {
				*first = append(*first, string(f.text))
			}
			*guesses = make([]guess, len(fields))
			if l.header {
				row++
				continue
			}
		}
		row++
		if len(fields) != len(*guesses) {
			return nil // reading will say so
		}
		for i, f := range fields {
			if !l.isNull(f) {
				(*guesses)[i].see(string(f.text), f.quoted)
			}
		}
	}
	return nil
}

func (l *layout) isNull(f field) bool {
	return !f.quoted && slices.Contains(l.nulls, string(f.text))
}

// name gives columns their names and types.
func (l *layout) name(o Options, first []string, guesses []guess) error {
	if first == nil && o.Names == nil {
		if l.header {
			return errors.New("the file is empty: it has no names of columns")
		}
		return nil
	}
	names := first
	if o.NoHeader {
		names = make([]string, len(first))
		for i := range names {
			names[i] = "column_" + strconv.Itoa(i+1)
		}
	}
	if o.Names != nil {
		if first != nil && len(o.Names) != len(first) {
			return fmt.Errorf("%d names are given, the first line has %d fields", len(o.Names), len(first))
		}
		names = o.Names
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two columns are called %q", name)
		}
		t := column.String.Of()
		if i < len(guesses) {
			t = guesses[i].typ()
		}
		if given, ok := o.Types[name]; ok {
			if t = given; t.Check() != nil {
				return fmt.Errorf("column %q: %w", name, t.Check())
			}
		}
		l.fields = append(l.fields, frame.Field{Name: name, Type: t})
	}
	for name := range o.Types {
		if !slices.Contains(names, name) {
			return fmt.Errorf("a type is given for %q, which is no column; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// guess is which types the fields of a column have had.
type guess struct {
	seen                               bool
	notInt, notFloat, notBool, notDate bool
	notTime                            bool
	zoned, naive                       bool
}

func (g *guess) see(s string, quoted bool) {
	g.seen = true
	if quoted {
		g.notInt, g.notFloat, g.notBool, g.notDate, g.notTime = true, true, true, true, true
		return
	}
	b := []byte(s)
	if !g.notInt {
		_, ok := parseInt(b)
		g.notInt = !ok || len(s) > 1 && s[0] == '0' // 007 is a name
		if len(s) > 1 && s[0] == '0' && ok {
			g.notFloat = true
		}
	}
	if !g.notFloat {
		_, ok := parseFloat(s)
		g.notFloat = !ok
	}
	if !g.notBool {
		_, ok := parseBool(b)
		g.notBool = !ok
	}
	if !g.notDate {
		_, ok := parseDate(b)
		g.notDate = !ok
	}
	if !g.notTime {
		_, zoned, ok := parseTime(b)
		g.notTime = !ok
		g.zoned, g.naive = g.zoned || zoned, g.naive || !zoned
	}
}

func (g *guess) typ() column.Type {
	switch {
	case !g.seen:
	case !g.notInt:
		return column.Int64.Of()
	case !g.notFloat:
		return column.Float64.Of()
	case !g.notBool:
		return column.Bool.Of()
	case !g.notDate:
		return column.Date32.Of()
	case !g.notTime && g.zoned != g.naive:
		t := column.Type{Kind: column.Timestamp, Unit: column.Microsecond}
		if g.zoned {
			t.Zone = "UTC"
		}
		return t
	}
	return column.String.Of()
}

// scanner takes rows apart that are in memory.
type scanner struct {
	comma  byte
	data   []byte
	pos    int
	line   int
	fields []field
	buf    []byte // of fields with quotes within
}

type field struct {
	text   []byte
	at     int // where it begins
	quoted bool
}

// start skips the mark of UTF-8.
func (s *scanner) start() {
	s.pos, s.line = 0, 1
	if bytes.HasPrefix(s.data, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
}

// row returns the fields of the next row, nil for an empty line. End says that the data does not go on.
func (s *scanner) row(end bool) ([]field, error) {
	s.fields, s.buf = s.fields[:0], s.buf[:0]
	data, i, line := s.data, s.pos, s.line
	from := i
	for {
		begin := i
		if i < len(data) && data[i] == '"' {
			f := field{at: i, quoted: true}
			i++
			copied := -1
			part := i
			for {
				k := bytes.IndexByte(data[i:], '"')
				if k < 0 {
					if !end {
						return nil, errCut
					}
					return nil, &malformed{place{line, begin - from + 1}, "a quote is not closed"}
				}
				i += k + 1
				if i < len(data) && data[i] == '"' {
					if copied < 0 {
						copied = len(s.buf)
					}
					s.buf = append(s.buf, data[part:i]...)
					i++
					part = i
					continue
				}
				break
			}
			if i >= len(data) && !end {
				return nil, errCut
			}
			f.text = data[part : i-1]
			if copied >= 0 {
				s.buf = append(s.buf, f.text...)
				f.text = bytes.Clone(s.buf[copied:])
			}
			s.fields = append(s.fields, f)
			s.line += bytes.Count(data[begin:i], newline)
		} else {
			for i < len(data) && data[i] != s.comma && data[i] != '\n' {
				if data[i] == '"' {
					return nil, &malformed{place{line, i - from + 1}, "a quote within a field that does not begin with one"}
				}
				i++
			}
			if i >= len(data) && !end {
				return nil, errCut
			}
			text := data[begin:i]
			if len(text) > 0 && text[len(text)-1] == '\r' && (i >= len(data) || data[i] == '\n') {
				text = text[:len(text)-1]
			}
			s.fields = append(s.fields, field{text: text, at: begin})
		}
		if i < len(data) && data[i] == '\r' && (i+1 == len(data) || data[i+1] == '\n') {
			if i+1 == len(data) && !end {
				return nil, errCut
			}
			i++
		}
		switch {
		case i >= len(data):
			s.pos = i
			return s.finish(), nil
		case data[i] == '\n':
			s.pos = i + 1
			s.line++
			return s.finish(), nil
		case data[i] == s.comma:
			i++
		default:
			return nil, &malformed{place{line, i - from + 1}, fmt.Sprintf("%q after a closed quote", data[i])}
		}
	}
}

func (s *scanner) finish() []field {
	if len(s.fields) == 1 && len(s.fields[0].text) == 0 && !s.fields[0].quoted {
		return nil
	}
	return s.fields
}

var newline = []byte("\n")

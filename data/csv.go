package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// ColumnType is the type of the values of a column of a [Table].
type ColumnType int

// What a column can hold.
const (
	Guess  ColumnType = iota // numbers where every field is one or is missing, else texts
	Number                   // float64; a missing field is NaN
	Text
)

// CSVOptions say how [ReadCSV] reads. The zero value reads fields that commas separate, with names in the first line.
type CSVOptions struct {
	Comma    rune                  // 0 means ','
	Comment  rune                  // lines that start with it are left out; 0: none
	NoHeader bool                  // the first line is data; columns are called "0", "1" and so on
	Names    []string              // of the columns, in place of those of the header, which is read and left out
	Missing  []string              // fields that stand for no value; nil: the empty field, "NA", "NaN", "nan", "null" and "?"
	Types    map[string]ColumnType // by column; those not named are guessed
}

// Table is columns of equal length.
type Table struct {
	Columns []Column
	rows    int
}

// Column is a column of a table: Numbers or Texts.
type Column struct {
	Name    string
	Numbers []float64
	Texts   []string
}

// LoadCSV is [ReadCSV] of a file.
func LoadCSV(path string, o CSVOptions) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	t, err := ReadCSV(f, o)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return t, nil
}

// ReadCSV reads comma-separated values as RFC 4180 describes them, without a byte order mark at the beginning. Errors: lines of unequal
// length, quotes out of place, a column of numbers with a field that is none; each names the line. A name twice, or one of Types that no
// column has.
func ReadCSV(r io.Reader, o CSVOptions) (*Table, error) {
	text := bufio.NewReader(r)
	if begin, err := text.Peek(len(byteOrderMark)); err == nil && string(begin) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark)) // it is buffered
	}
	c := csv.NewReader(text)
	c.Comment, c.ReuseRecord = o.Comment, true
	if o.Comma != 0 {
		c.Comma = o.Comma
	}
	missing := o.Missing
	if missing == nil {
		missing = []string{"", "NA", "NaN", "nan", "null", "?"}
	}
	t := &Table{}
	var lines []int
	header := !o.NoHeader
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("data: csv: %w", err)
		}
		if t.Columns == nil {
			if err := t.name(record, header, o); err != nil {
				return nil, err
			}
			if header {
				continue
			}
		}
		for i, field := range record {
			t.Columns[i].Texts = append(t.Columns[i].Texts, strings.Clone(field))
		}
		line, _ := c.FieldPos(0)
		lines = append(lines, line)
	}
	t.rows = len(lines)
	for i := range t.Columns {
		if err := t.Columns[i].settle(o.Types[t.Columns[i].Name], missing, lines); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// byteOrderMark is what some programs write before UTF-8.
const byteOrderMark = "\ufeff"

// name makes the columns of the first line.
func (t *Table) name(record []string, header bool, o CSVOptions) error {
	if o.Names != nil && len(o.Names) != len(record) {
		return fmt.Errorf("data: csv: %d names for %d columns", len(o.Names), len(record))
	}
	for i, field := range record {
		name := strings.TrimSpace(strings.Clone(field))
		switch {
		case o.Names != nil:
			name = o.Names[i]
		case !header:
			name = strconv.Itoa(i)
		}
		if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name }) {
			return fmt.Errorf("data: csv: two columns are called %q", name)
		}
		t.Columns = append(t.Columns, Column{Name: name})
	}
	for name := range o.Types {
		if _, err := t.Column(name); err != nil {
			return err
		}
	}
	return nil
}

// settle makes numbers of a column that has such.
func (c *Column) settle(typ ColumnType, missing []string, lines []int) error {
	if typ == Text {
		return nil
	}
	numbers := make([]float64, len(c.Texts))
	for i, text := range c.Texts {
		text = strings.TrimSpace(text)
		if slices.Contains(missing, text) {
			numbers[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			if typ == Guess {
				return nil
			}
			return fmt.Errorf("data: csv: line %d: column %q holds %q, not a number", lines[i], c.Name, text)
		}
		numbers[i] = v
	}
	c.Numbers, c.Texts = numbers, nil
	return nil
}

// Rows is how many rows there are.
func (t *Table) Rows() int { return t.rows }

// Column is the column of that name. Errors: there is none.
func (t *Table) Column(name string) (*Column, error) {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i], nil
		}
	}
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return nil, fmt.Errorf("data: there is no column %q among %q", name, names)
}

// Matrix is columns of numbers as a tensor [rows, len(columns)]; without columns, all that hold numbers, in order. Errors: a column that is
// not there, or holds texts; a missing value, with its row.
func (t *Table) Matrix(dt tensor.DType, columns ...string) (*tensor.Tensor, error) {
	var all []*Column
	for _, name := range columns {
		c, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(columns) == 0 {
		for i := range t.Columns {
			if t.Columns[i].Numbers != nil {
				all = append(all, &t.Columns[i])
			}
		}
	}
	x, err := tensor.New(dt, t.rows, len(all))
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	for j, c := range all {
		if c.Numbers == nil {
			return nil, fmt.Errorf("data: column %q holds texts: see Classes", c.Name)
		}
		for i, v := range c.Numbers {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("data: column %q has no value in row %d", c.Name, i)
			}
			x.SetFloat64(i*len(all)+j, v)
		}
	}
	return x, nil
}

// Classes numbers the values of a column, of texts or numbers, in their order: an int64 tensor [rows], and the values as texts. Errors:
// there is no such column; a missing number.
func (t *Table) Classes(column string) (*tensor.Tensor, []string, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, nil, err
	}
	number := make([]int64, t.rows)
	var names []string
	if c.Numbers == nil {
		names = slices.Compact(slices.Sorted(slices.Values(c.Texts)))
		for i, text := range c.Texts {
			k, _ := slices.BinarySearch(names, text)
			number[i] = int64(k)
		}
	} else {
		values := slices.Compact(slices.Sorted(slices.Values(c.Numbers)))
		for i, v := range c.Numbers {
			k, ok := slices.BinarySearch(values, v)
			if !ok || math.IsNaN(v) {
				return nil, nil, fmt.Errorf("data: column %q has no value in row %d", column, i)
			}
			number[i] = int64(k)
		}
		for _, v := range values {
			names = append(names, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	x, err := tensor.FromSlice(number)
	return x, names, err
}

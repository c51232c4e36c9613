package sparse

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// MarketError is a mistake in a file in the Matrix Market format.
type MarketError struct {
	Line int // from 1 on
	Err  error
}

func (e *MarketError) Error() string {
	return fmt.Sprintf("sparse: matrix market, line %d: %v", e.Line, e.Err)
}

func (e *MarketError) Unwrap() error { return e.Err }

// ReadMatrixMarket reads a matrix in the Matrix Market exchange format: coordinate or array; real, integer or pattern, whose elements are
// 1; general, symmetric or skew-symmetric, of which the other half is added. Elements at the same place are added. Memory grows with the
// elements that are read, whatever size the file declares. Errors: a *[MarketError]
// with the line where the text is not of the format, numbers are not finite or places are outside, or where it is complex or hermitian;
// those of r.
// Source: Boisvert, Pozo and Remington, The Matrix Market exchange formats (NISTIR 5935, 1996).
func ReadMatrixMarket(r io.Reader) (*COO[float64], error) {
	m := &marketReader{in: bufio.NewReaderSize(r, 1<<16)}
	a, err := m.read()
	if err == nil {
		return a, nil
	}
	if m.failed != nil {
		return nil, fmt.Errorf("sparse: matrix market: %w", m.failed)
	}
	return nil, &MarketError{m.line, err}
}

const longestLine = 1 << 12

type marketReader struct {
	in     *bufio.Reader
	line   int
	failed error // of reading
	array  bool
	field  string
	shape  string // symmetry
}

// next is the next line, without its end; ok is false at the end of the text.
func (m *marketReader) next() (text string, ok bool, err error) {
	m.line++
	b, err := m.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(b) == 0:
		return "", false, nil
	case err == bufio.ErrBufferFull || len(b) > longestLine:
		return "", false, fmt.Errorf("longer than %d bytes", longestLine)
	case err != nil && err != io.EOF:
		m.failed = err
		return "", false, err
	}
	return strings.TrimRight(string(b), "\r\n"), true, nil
}

// data is the next line that is neither empty nor a comment, as words.
func (m *marketReader) data() ([]string, error) {
	for {
		text, ok, err := m.next()
		if err != nil || !ok {
			return nil, err
		}
		if words := strings.Fields(text); len(words) > 0 && !strings.HasPrefix(words[0], "%") {
			return words, nil
		}
	}
}

func (m *marketReader) read() (*COO[float64], error) {
	text, ok, err := m.next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the file is empty")
	}
	if err := m.header(strings.Fields(text)); err != nil {
		return nil, err
	}
	words, err := m.data()
	if err != nil {
		return nil, err
	}
	wanted := 3
	if m.array {
		wanted = 2
	}
	if len(words) != wanted {
		return nil, fmt.Errorf("%d numbers, not the %d of the size", len(words), wanted)
	}
	var size [3]int
	for i, w := range words {
		if size[i], err = strconv.Atoi(w); err != nil || size[i] < 0 || size[i] > math.MaxInt32-1 {
			return nil, fmt.Errorf("the size has %.40q", w)
		}
	}
	a := &COO[float64]{Rows: size[0], Cols: size[1]}
	if m.shape != "general" && a.Rows != a.Cols {
		return nil, fmt.Errorf("%d x %d is not %s", a.Rows, a.Cols, m.shape)
	}
	if m.array {
		err = m.readArray(a)
	} else {
		err = m.readCoordinates(a, size[2])
	}
	if err != nil {
		return nil, err
	}
	if words, err = m.data(); err == nil && words != nil {
		err = fmt.Errorf("more elements than the size says")
	}
	return a, err
}

func (m *marketReader) header(words []string) error {
	if len(words) != 5 || words[0] != "%%MatrixMarket" {
		return fmt.Errorf("does not begin with %%%%MatrixMarket and four words")
	}
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	if words[1] != "matrix" {
		return fmt.Errorf("the object is %.40q, not matrix", words[1])
	}
	switch m.array = words[2] == "array"; {
	case !m.array && words[2] != "coordinate":
		return fmt.Errorf("the format is %.40q, not coordinate or array", words[2])
	}
	switch m.field = words[3]; m.field {
	case "real", "integer", "double":
	case "pattern":
		if m.array {
			return fmt.Errorf("an array has no pattern")
		}
	case "complex":
		return fmt.Errorf("complex elements are not supported")
	default:
		return fmt.Errorf("the elements are %.40q, not real, integer or pattern", words[3])
	}
	switch m.shape = words[4]; m.shape {
	case "general", "symmetric", "skew-symmetric":
	case "hermitian":
		return fmt.Errorf("hermitian matrices are not supported")
	default:
		return fmt.Errorf("the symmetry is %.40q, not general, symmetric or skew-symmetric", words[4])
	}
	return nil
}

func (m *marketReader) readCoordinates(a *COO[float64], count int) error {
	wanted := 3
	if m.field == "pattern" {
		wanted = 2
	}
	for i := range count {
		words, err := m.data()
		switch {
		case err != nil:
			return err
		case words == nil:
			return fmt.Errorf("ends after %d elements of %d", i, count)
		case len(words) != wanted:
			return fmt.Errorf("%d words, not %d", len(words), wanted)
		}
		row, err1 := strconv.Atoi(words[0])
		col, err2 := strconv.Atoi(words[1])
		if err1 != nil || err2 != nil || row < 1 || row > a.Rows || col < 1 || col > a.Cols {
			return fmt.Errorf("the place (%.20s, %.20s) is not inside %d x %d", words[0], words[1], a.Rows, a.Cols)
		}
		v := 1.0
		if wanted == 3 {
			if v, err = m.number(words[2]); err != nil {
				return err
			}
		}
		if err := m.add(a, row-1, col-1, v); err != nil {
			return err
		}
	}
	return nil
}

// readArray reads the elements of a dense matrix, column by column, of a symmetric one the lower half.
func (m *marketReader) readArray(a *COO[float64]) error {
	if a.Rows == 0 {
		return nil
	}
	for col := range a.Cols {
		first := 0
		switch m.shape {
		case "symmetric":
			first = col
		case "skew-symmetric":
			first = col + 1
		}
		for row := first; row < a.Rows; row++ {
			words, err := m.data()
			switch {
			case err != nil:
				return err
			case len(words) != 1:
				return fmt.Errorf("%d words where the element (%d, %d) should be", len(words), row+1, col+1)
			}
			v, err := m.number(words[0])
			if err != nil {
				return err
			}
			if v != 0 {
				if err := m.add(a, row, col, v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *marketReader) number(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%.40q is not a finite number", word)
	}
	return v, nil
}

// add adds an element and the one that mirrors it.
func (m *marketReader) add(a *COO[float64], row, col int, v float64) error {
	a.Add(row, col, v)
	switch {
	case m.shape == "general":
	case row < col:
		return fmt.Errorf("an element above the diagonal of a %s matrix", m.shape)
	case m.shape == "symmetric" && row != col:
		a.Add(col, row, v)
	case m.shape == "skew-symmetric" && row == col:
		return fmt.Errorf("an element on the diagonal of a skew-symmetric matrix")
	case m.shape == "skew-symmetric":
		a.Add(col, row, -v)
	}
	if len(a.Value) > math.MaxInt32-1 {
		return errTooLarge
	}
	return nil
}

// WriteMatrixMarket writes a as a general matrix of real coordinates, with the digits that give each number back. Errors: those of
// w and of [CSR.Check]; a number is not finite.
func WriteMatrixMarket[T Number](w io.Writer, a *CSR[T]) error {
	if err := a.Check(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a.Rows, a.Cols, len(a.Value))
	size := 64
	if _, narrow := any(T(0)).(float32); narrow {
		size = 32
	}
	var line []byte
	for r := range a.Rows {
		for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
			v := float64(a.Value[i])
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return fmt.Errorf("sparse: the element (%d, %d) is %v, which the format does not have", r, a.Col[i], v)
			}
			line = strconv.AppendInt(line[:0], int64(r)+1, 10)
			line = strconv.AppendInt(append(line, ' '), int64(a.Col[i])+1, 10)
			line = append(strconv.AppendFloat(append(line, ' '), v, 'g', -1, size), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

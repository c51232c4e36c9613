package parquet

import (
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"github.com/anycl/anycl/frame/column"
)

var errCode = errors.New("the file is damaged: a value points outside of its dictionary")

// bytesOf are the first n byte arrays of a page: number i is from offsets[i] to offsets[i+1].
func bytesOf(p parquet.Page, n int) (data []byte, offsets []uint32, err error) {
	v := p.Data()
	data, offsets = v.Data()
	if n == 0 {
		return nil, []uint32{0}, nil
	}
	if len(offsets) < n+1 || int(offsets[n]) > len(data) {
		return nil, nil, errValues
	}
	return data, offsets[:n+1], nil
}

// texts are plain strings.
type texts struct {
	offsets []int64
	data    []byte
	spend   func(int64) error
}

func newTexts(n int, spend func(int64) error) *texts {
	return &texts{offsets: append(make([]int64, 0, n+1), 0), spend: spend}
}

func (s *texts) page(p parquet.Page, n int, levels []byte, top byte) error {
	k := present(n, levels, top)
	var codes []int32
	var data []byte
	var offsets []uint32
	var err error
	d := p.Dictionary()
	if d != nil {
		if codes, err = valuesOf[int32](p, k); err == nil {
			data, offsets, err = bytesOf(d.Page(), d.Len())
		}
	} else {
		data, offsets, err = bytesOf(p, k)
	}
	if err != nil {
		return err
	}
	before := len(s.data)
	next := 0
	for i := range n {
		if len(levels) == 0 || levels[i] == top {
			at := next
			if d != nil {
				if at = int(codes[next]); uint(at) >= uint(len(offsets)-1) {
					return errCode
				}
			}
			s.data = append(s.data, data[offsets[at]:offsets[at+1]]...)
			next++
		}
		s.offsets = append(s.offsets, int64(len(s.data)))
		if len(s.data)-before > 1<<24 {
			if err := s.spend(int64(len(s.data) - before)); err != nil {
				return err
			}
			before = len(s.data)
		}
	}
	return s.spend(int64(len(s.data) - before))
}

func (s *texts) finish(valid column.Bitmap) (*column.Column, error) {
	if len(s.data) > math.MaxInt32 {
		return column.Strings(s.offsets, s.data, valid)
	}
	short := column.Make[int32](len(s.offsets))
	for i, o := range s.offsets {
		short[i] = int32(o)
	}
	return column.Strings(short, s.data, valid)
}

// codes are strings that point into a dictionary: that of the file while its pages do, and one that grows where a page has plain strings.
type codes struct {
	out   []int32
	at    int
	dict  *column.Column // of the file
	to    []int32        // new codes of the file's, nil as long as they are the same
	grown *column.Builder
	known map[string]int32
}

func newCodes(to room, n int) *codes { return &codes{out: valuesIn[int32](to, n)} }

func (s *codes) page(p parquet.Page, n int, levels []byte, top byte) error {
	k := present(n, levels, top)
	out := s.out[s.at : s.at+n]
	s.at += n
	d := p.Dictionary()
	if d == nil {
		return s.plain(p, k, out, levels, top)
	}
	if s.dict == nil {
		if err := s.take(d); err != nil {
			return err
		}
	}
	values, err := valuesOf[int32](p, k)
	if err != nil {
		return err
	}
	for _, c := range values {
		if uint32(c) >= uint32(s.dict.Len()) {
			return errCode
		}
	}
	spread(out, values, levels, top)
	if s.to != nil {
		for i := range out {
			if len(levels) == 0 || levels[i] == top {
				out[i] = s.to[out[i]]
			}
		}
	}
	return nil
}

// take copies the file's dictionary, and finds strings that are in it twice.
func (s *codes) take(d parquet.Dictionary) error {
	data, offsets, err := bytesOf(d.Page(), d.Len())
	if err != nil {
		return err
	}
	short := make([]int32, len(offsets))
	for i, o := range offsets {
		if o > math.MaxInt32 {
			return fmt.Errorf("its dictionary has %d bytes", o)
		}
		short[i] = int32(o)
	}
	if s.dict, err = column.Strings(short, append([]byte{}, data[:offsets[len(offsets)-1]]...), column.Bitmap{}); err != nil {
		return err
	}
	before := s.grown // of plain pages, which came first
	seen := make(map[string]struct{}, s.dict.Len())
	for i := range s.dict.Len() {
		seen[s.dict.Text(i)] = struct{}{}
	}
	if len(seen) < s.dict.Len() || before != nil {
		s.grow()
	}
	return nil
}

// grow begins a dictionary of its own.
func (s *codes) grow() {
	if s.known == nil {
		s.known, s.grown = map[string]int32{}, column.NewBuilder(column.String.Of(), 0)
	}
	if s.dict == nil || s.to != nil {
		return
	}
	s.to = make([]int32, s.dict.Len())
	for i := range s.to {
		s.to[i] = s.code(s.dict.Text(i))
	}
}

func (s *codes) code(text string) int32 {
	c, ok := s.known[text]
	if !ok {
		c = int32(s.grown.Len())
		s.grown.Text(text)
		s.known[text] = c
	}
	return c
}

func (s *codes) plain(p parquet.Page, k int, out []int32, levels []byte, top byte) error {
	s.grow()
	data, offsets, err := bytesOf(p, k)
	if err != nil {
		return err
	}
	next := 0
	for i := range out {
		if len(levels) == 0 || levels[i] == top {
			out[i] = s.code(string(data[offsets[next]:offsets[next+1]]))
			next++
		}
	}
	return nil
}

func (s *codes) finish(valid column.Bitmap) (*column.Column, error) {
	dict := s.dict
	if s.grown != nil {
		dict = s.grown.Finish()
	}
	if dict == nil {
		dict = column.Of([]string{})
	}
	return column.Trusted(s.out[:s.at], dict, valid), nil
}

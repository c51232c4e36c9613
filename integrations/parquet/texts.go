package parquet

import (
	"encoding/binary"
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
		return s.library(p, k, out, levels, top)
	}
	if s.dict == nil {
		data, offsets, err := bytesOf(d.Page(), d.Len())
		if err != nil {
			return err
		}
		if err := s.take(data, offsets); err != nil {
			return err
		}
	}
	values, err := valuesOf[int32](p, k)
	if err != nil {
		return err
	}
	spread(out, values, levels, top)
	return s.check(out, levels, top)
}

// check looks at codes of the file's dictionary, and makes those of the column of them.
func (s *codes) check(out []int32, levels []byte, top byte) error {
	n := uint32(s.dict.Len())
	for i, c := range out {
		switch {
		case uint32(c) < n:
		case len(levels) == 0 || levels[i] == top:
			return errCode
		}
	}
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
func (s *codes) take(data []byte, offsets []uint32) (err error) {
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

// library appends strings of a page that the library decoded.
func (s *codes) library(p parquet.Page, k int, out []int32, levels []byte, top byte) error {
	data, offsets, err := bytesOf(p, k)
	if err != nil {
		return err
	}
	s.texts(data, offsets, out, levels, top)
	return nil
}

// texts puts the codes of strings where nothing is null.
func (s *codes) texts(data []byte, offsets []uint32, out []int32, levels []byte, top byte) {
	s.grow()
	next := 0
	for i := range out {
		if len(levels) == 0 || levels[i] == top {
			out[i] = s.code(string(data[offsets[next]:offsets[next+1]]))
			next++
		} else {
			out[i] = 0
		}
	}
}

// The values of pages that are decoded here; see [flat].

func (s *codes) bytes() []byte { return nil }
func (s *codes) passed(int)    {}

func (s *codes) entries(b []byte, n int) error {
	data, offsets, err := plainTexts(b, n)
	if err != nil {
		return err
	}
	return s.take(data, offsets)
}

func (s *codes) plain(b []byte, n, skip int, levels []byte) error {
	data, offsets, err := plainTexts(b, skip+present(n, levels, 1))
	if err != nil {
		return err
	}
	out := s.out[s.at : s.at+n]
	s.at += n
	s.texts(data, offsets[skip:], out, levels, 1)
	return nil
}

func (s *codes) coded(h *hybrid, n int, levels []byte) error {
	out := s.out[s.at : s.at+n]
	s.at += n
	k := present(n, levels, 1)
	if err := h.read(out[:k]); err != nil {
		return err
	}
	if k < n { // from the end, so that none is written over before it was moved
		for i := n - 1; i >= 0; i-- {
			if levels[i] == 1 {
				k--
				out[i] = out[k]
			} else {
				out[i] = 0
			}
		}
	}
	return s.check(out, levels, 1)
}

// plainTexts reads n strings, each of which has its length before it.
func plainTexts(b []byte, n int) (data []byte, offsets []uint32, err error) {
	if n < 0 || len(b)/4 < n || len(b) > math.MaxInt32 {
		return nil, nil, errValues
	}
	offsets = make([]uint32, 1, n+1)
	data = make([]byte, 0, len(b)-4*n)
	for range n {
		if len(b) < 4 {
			return nil, nil, errValues
		}
		k := uint64(binary.LittleEndian.Uint32(b))
		if b = b[4:]; k > uint64(len(b)) {
			return nil, nil, errValues
		}
		data, b = append(data, b[:k]...), b[k:]
		offsets = append(offsets, uint32(len(data)))
	}
	return data, offsets, nil
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

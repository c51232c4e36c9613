package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/tensor"
)

// Write writes tensors by name, and metadata, which may be nil. Tensors with larger elements come first, and those of
// equal size by name, so that every one is aligned; the header is padded with spaces to a multiple of 8 bytes. The same tensors give
// the same bytes. Errors: a nil tensor; a name that is __metadata__ or not UTF-8; a header above the limit of the format; w fails.
func Write(w io.Writer, tensors map[string]*tensor.Tensor, metadata map[string]string) error {
	names, text, err := compose(tensors, metadata)
	if err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	for _, part := range [][]byte{length, text} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("safetensors: writing the header: %w", err)
		}
	}
	for _, name := range names {
		t := tensors[name]
		data, _ := t.Contiguous().Bytes()
		if !littleHost && t.DType().Size() > 1 {
			data = slices.Clone(data)
			toHost(data, t.DType())
		}
		if _, err := w.Write(data); err != nil {
			return fmt.Errorf("safetensors: writing tensor %q: %w", name, err)
		}
	}
	return nil
}

// Save writes a file as [Write] does. It replaces path when the file is whole and on the disk, so that a
// write which fails or is killed leaves what was there.
func Save(path string, tensors map[string]*tensor.Tensor, metadata map[string]string) error {
	err := wholefile.Write(path, func(w io.Writer) error { return Write(w, tensors, metadata) }, nil)
	if err != nil {
		return fmt.Errorf("safetensors: save %s: %w", path, err)
	}
	return nil
}

// entry is a tensor in a header.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// compose makes the header, and the order of the data.
func compose(tensors map[string]*tensor.Tensor, metadata map[string]string) (names []string, text []byte, err error) {
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		switch {
		case t == nil:
			return nil, nil, fmt.Errorf("tensor %q is nil", name)
		case name == metadataKey:
			return nil, nil, fmt.Errorf("a tensor cannot have the name %s", name)
		case !utf8.ValidString(name):
			return nil, nil, fmt.Errorf("the name %q is not UTF-8", name)
		case nameOf(t.DType()) == "":
			return nil, nil, fmt.Errorf("tensor %q: %w: %v", name, ErrDType, t.DType())
		}
		names = append(names, name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(tensors[b].DType().Size(), tensors[a].DType().Size())
	})
	var b bytes.Buffer
	member := func(key string, value any) error {
		if b.WriteByte(','); b.Len() == 1 {
			b.Reset()
			b.WriteByte('{')
		}
		for i, v := range []any{key, value} {
			if i == 1 {
				b.WriteByte(':')
			}
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				return err
			}
			b.Truncate(b.Len() - 1) // the line's end
		}
		return nil
	}
	if len(metadata) > 0 {
		for k, v := range metadata {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, nil, fmt.Errorf("the metadata %q is not UTF-8", k)
			}
		}
		if err := member(metadataKey, metadata); err != nil {
			return nil, nil, err
		}
	}
	at := int64(0)
	for _, name := range names {
		t := tensors[name]
		e := entry{DType: nameOf(t.DType()), Shape: append([]int{}, t.Shape()...)}
		e.Offsets[0] = at
		at += int64(t.NumBytes())
		e.Offsets[1] = at
		if err := member(name, e); err != nil {
			return nil, nil, err
		}
	}
	if b.Len() == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	b.WriteString(strings.Repeat(" ", (lengthBytes-b.Len()%lengthBytes)%lengthBytes))
	if b.Len() > maxHeader {
		return nil, nil, fmt.Errorf("a header of %d bytes, and the limit is %d", b.Len(), maxHeader)
	}
	return names, b.Bytes(), nil
}

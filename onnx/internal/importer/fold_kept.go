package importer

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/anycl/anycl/tensor"
)

// folded are small results that were computed before a graph ran, by a key of their call and operands. Layers compute the same sizes, and
// so do the graphs of other shapes; compiling such a node takes far longer than looking it up. It is safe for several goroutines.
type folded struct {
	mu   sync.Mutex
	kept map[string][]*tensor.Tensor
}

const (
	maxKept      = 1 << 12 // calls whose results are kept
	maxKeptBytes = 1 << 10 // of the operands of one, and of its results
)

// fill sets the values to those that are kept for a key, if there are any.
func (f *folded) fill(key string, outs []*value) bool {
	f.mu.Lock()
	kept := f.kept[key]
	f.mu.Unlock()
	if key == "" || kept == nil {
		return false
	}
	for i, v := range outs {
		if v != nil {
			v.host = kept[i]
		}
	}
	return true
}

// keep keeps the values under a key, if they are small.
func (f *folded) keep(key string, outs []*value) {
	kept, bytes := make([]*tensor.Tensor, len(outs)), 0
	for i, v := range outs {
		if v != nil && v.host != nil {
			kept[i] = v.host
			bytes += v.host.NumBytes()
		}
	}
	if key == "" || bytes > maxKeptBytes {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil || len(f.kept) >= maxKept {
		f.kept = map[string][]*tensor.Tensor{}
	}
	f.kept[key] = kept
}

// foldKey names the results of a call by its operator, attributes, operands and the number of its results; "": they are not kept.
func (c *call) foldKey(in []*value, outs []*value) string {
	key := fmt.Appendf(nil, "%s %d %d", c.op.name, c.version, c.b.rows)
	for i, v := range outs {
		key = fmt.Append(key, v != nil, c.wants(i))
	}
	for _, name := range slices.Sorted(maps.Keys(c.attrs)) {
		a := c.attrs[name]
		if a.Graph != nil || len(a.Graphs) > 0 || len(a.Tensors) > 0 || len(a.String)+8*len(a.Ints)+4*len(a.Floats) > maxKeptBytes ||
			len(a.Strings) > 0 {
			return ""
		}
		key = fmt.Appendf(key, "%q %d %v %d %q %v %v %p", name, a.Type, a.Float, a.Int, a.String, a.Floats, a.Ints, a.Tensor)
	}
	bytes := 0
	for _, v := range in {
		if v == nil {
			key = append(key, '-')
			continue
		}
		if bytes += v.host.NumBytes(); bytes > maxKeptBytes {
			return ""
		}
		b, _ := v.host.Contiguous().Bytes()
		key = fmt.Appendf(key, "%v %v %d %q", v.host.DType(), v.host.Shape(), v.narrow, b)
	}
	return string(key)
}

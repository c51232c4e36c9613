package optest

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Look-ups, key by key.

func init() {
	reference("lookup", func(c Case) Result {
		a := attr[ops.LookupCase](c)
		y := NewArray(tensor.Int64, c.In[0].Shape...)
		for p := range y.I {
			y.I[p] = a.Other
			if i := slices.Index(a.Keys, int64(c.In[0].index(p))); i >= 0 {
				y.I[p] = a.Values[i]
			}
		}
		return exactly(y)
	})
	reference("lookup_strings", func(c Case) Result {
		x, a := c.In[0], attr[ops.LookupCase](c)
		width := x.Shape[len(x.Shape)-1]
		y := NewArray(tensor.Int64, x.Shape[:len(x.Shape)-1]...)
		for p := range y.I {
			var s strings.Builder
			for _, b := range x.U[p*width:][:width] {
				s.WriteByte(byte(b))
			}
			y.I[p] = a.Other
			if i := slices.Index(a.Strings, strings.TrimRight(s.String(), "\x00")); i >= 0 {
				y.I[p] = a.Values[i]
			}
		}
		return exactly(y)
	})
}

package serve

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"github.com/anycl/anycl/tensor"
)

const headerLength = "Inference-Header-Content-Length"

// answer writes the outputs of a request.
func (q *inferRequest) answer(w http.ResponseWriter, v *version, names []string, binary map[string]bool,
	outs map[string]*tensor.Tensor) error {
	b := append(make([]byte, 0, room(names, binary, outs)), `{"model_name":`...)
	b = append(b, quoted(v.model)...)
	b = append(append(b, `,"model_version":`...), quoted(v.name)...)
	if q.ID != "" {
		b = append(append(b, `,"id":`...), quoted(q.ID)...)
	}
	b = append(b, `,"outputs":[`...)
	var raw [][]byte
	rest := 0
	for i, name := range names {
		t := outs[name].Contiguous()
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), quoted(name)...)
		b = append(append(b, `,"datatype":"`...), datatypeOf(t.DType())...)
		b = append(b, `","shape":[`...)
		for k, d := range t.Shape() {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(d), 10)
		}
		b = append(b, ']')
		if binary[name] {
			data, _ := t.Bytes()
			raw, rest = append(raw, data), rest+len(data)
			b = append(b, `,"parameters":{"binary_data_size":`...)
			b = append(strconv.AppendInt(b, int64(len(data)), 10), '}')
		} else {
			var bad bool
			if b, bad = appendData(append(b, `,"data":[`...), t); bad {
				return failure(400, "the output %q has values that JSON does not have, NaN or infinite: ask for it with binary_data", name)
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	b = append(b, `]}`...)
	h := w.Header()
	h.Set("Content-Length", strconv.Itoa(len(b)+rest))
	if len(raw) > 0 {
		h.Set("Content-Type", "application/octet-stream")
		h.Set(headerLength, strconv.Itoa(len(b)))
	} else {
		h.Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b)
	for _, data := range raw {
		if err == nil {
			_, err = w.Write(data)
		}
	}
	return nil // a client that has gone is no failure
}

// room is about how many bytes the JSON of an answer takes.
func room(names []string, binary map[string]bool, outs map[string]*tensor.Tensor) int {
	const head, number = 256, 12
	n := head
	for _, name := range names {
		n += head
		if !binary[name] {
			n += number * outs[name].Len()
		}
	}
	return n
}

func quoted(s string) []byte {
	b, _ := json.Marshal(s) // of a string it does not fail
	return b
}

// appendData appends the elements of t, and reports those that JSON does not have.
func appendData(b []byte, t *tensor.Tensor) (all []byte, bad bool) {
	switch t.DType() {
	case tensor.Bool:
		return appendEach(b, t, strconv.AppendBool), false
	case tensor.Int64:
		return appendEach(b, t, func(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }), false
	case tensor.Uint64:
		return appendEach(b, t, func(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }), false
	case tensor.Float32:
		b = appendEach(b, t, func(b []byte, v float32) []byte {
			bad = bad || v-v != 0
			return appendFloat32(b, v)
		})
		return b, bad
	}
	bits := 64
	if !t.DType().IsFloat() {
		bits = 0
	}
	for i, v := range t.All() {
		if i > 0 {
			b = append(b, ',')
		}
		if bits == 0 {
			b = strconv.AppendInt(b, int64(v), 10)
			continue
		}
		bad = bad || math.IsNaN(v) || math.IsInf(v, 0)
		b = strconv.AppendFloat(b, v, 'g', -1, bits)
	}
	return b, bad
}

func appendEach[T tensor.Elem](b []byte, t *tensor.Tensor, one func([]byte, T) []byte) []byte {
	for i, v := range tensor.Must(tensor.ToSlice[T](t)) { // of this dtype
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return b
}

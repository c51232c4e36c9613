package serve_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkInfer measures the time of a request in the server: a digit of MNIST to a model that only copies, without a network and a
// client.
func BenchmarkInfer(b *testing.B) {
	s := serve.New(serve.Options{})
	if err := s.Add(b.Context(), "echo", "1", echo(tensor.Float32, -1, 784), serve.ModelOptions{}); err != nil {
		b.Fatal(err)
	}
	numbers, raw := make([]string, 784), []byte(nil)
	for i := range numbers {
		v := float32(math.Sin(float64(i)))
		numbers[i], raw = strconv.FormatFloat(float64(v), 'g', -1, 32), binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	head := `{"inputs":[{"name":"x","shape":[1,784],"datatype":"FP32",%s}],"outputs":[{"name":"y","parameters":{"binary_data":%t}}]}`
	text := fmt.Sprintf(head, `"data":[`+strings.Join(numbers, ",")+"]", false)
	prefix := fmt.Sprintf(head, `"parameters":{"binary_data_size":3136}`, true)
	for name, body := range map[string][]byte{"json": []byte(text), "bytes": append([]byte(prefix), raw...)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/v2/models/echo/infer", bytes.NewReader(body))
				if name == "bytes" {
					r.Header.Set("Inference-Header-Content-Length", strconv.Itoa(len(prefix)))
				}
				w := httptest.NewRecorder()
				if s.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

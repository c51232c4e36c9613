package serve_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

// ask sends a request and returns the answer with its body.
func ask(t *testing.T, h http.Handler, method, path string, body []byte, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func TestHealthAndMetadata(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{Version: "1.2"})
	require.NoError(t, s.Add(t.Context(), "echo", "3", echo(tensor.Float32, -1, 2), serve.ModelOptions{}))
	for path, want := range map[string]string{
		"/v2":                              `{"extensions":["binary_tensor_data","model_repository(index)"],"name":"anycl","version":"1.2"}`,
		"/v2/":                             `{"extensions":["binary_tensor_data","model_repository(index)"],"name":"anycl","version":"1.2"}`,
		"/v2/health/live":                  `{"live":true}`,
		"/v2/health/ready":                 `{"ready":true}`,
		"/v2/models/echo/ready":            `{"name":"echo","ready":true}`,
		"/v2/models/echo/versions/3":       `{"inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}],"name":"echo","outputs":[{"name":"y","datatype":"FP32","shape":[-1,2]}],"platform":"anycl_onnx","versions":["3"]}`,
		"/v2/models/echo/versions/3/ready": `{"name":"echo","ready":true}`,
	} {
		r, body := ask(t, s, "GET", path, nil)
		require.Equal(t, 200, r.StatusCode, path)
		require.Equal(t, want, body, path)
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	}
	r, body := ask(t, s, "POST", "/v2/repository/index", nil)
	require.Equal(t, 200, r.StatusCode)
	require.JSONEq(t, `[{"name":"echo","version":"3","state":"READY","reason":""}]`, body)
}

func TestWhatIsNotThereIsAnErrorOfTheProtocol(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{MaxBody: 1000})
	require.NoError(t, s.Add(t.Context(), "echo", "1", echo(tensor.Float32, -1, 2), serve.ModelOptions{MaxBatch: 4}))
	good := `{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]}`
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprintf(z, "%2000d", 0)
	require.NoError(t, z.Close())
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
		header             []string
	}{
		{"GET", "/", "", 404, "begins with /v2", nil},
		{"GET", "/v2/nothing", "", 404, "nothing at", nil},
		{"GET", "/v2/models/other", "", 404, `no model "other"`, nil},
		{"POST", "/v2/models/echo/versions/2/infer", good, 404, `no version "2"`, nil},
		{"POST", "/v2/models/echo/unload", good, 404, "nothing at", nil},
		{"GET", "/v2/models/echo/infer", "", 405, "is to be POST", nil},
		{"POST", "/v2/health/live", "", 405, "is to be GET", nil},
		{"POST", "/v2/models/echo/infer", "{", 400, "JSON", nil},
		{"POST", "/v2/models/echo/infer", "", 400, "JSON", nil},
		{"POST", "/v2/models/echo/infer", `{"inputs":[]}`, 400, `"x" is missing`, nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "[1,2]", "[2,2]", 1), 400, "2 elements", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "[1,2]", "[1]", 1), 400, "", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "[1,2]", "[-1,2]", 1), 400, "", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "[1,2]", "[4611686018427387904,4]", 1), 400, "", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "[1,2]", "["+strings.Repeat("1,", 300)+"2]", 1), 400, "has 301 axes", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "FP32", "FP64", 1), 400, "is FP64, not FP32", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, "FP32", "BYTES", 1), 400, "not supported", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `:[1,2]}`, `:[1,"2"]}`, 1), 400, "no number", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `:[1,2]}`, `:[1,true]}`, 1), 400, "invalid syntax", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `:[1,2]}`, `:[1,1e39]}`, 1), 400, "out of range", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `:[1,2]}`, `:[[1],[2]]}`, 1), 400, "has 1 elements", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `:[1,2]}`, `:[[1,2],3]}`, 1), 400, "nested", nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `"inputs"`, `"outputs":[{"name":"z"}],"inputs"`, 1), 400, `no output "z"`, nil},
		{"POST", "/v2/models/echo/infer", strings.Replace(good, `"inputs"`, `"outputs":[{"name":"y","parameters":{"classification":2}}],"inputs"`,
			1), 400, "classification", nil},
		{"POST", "/v2/models/echo/infer", `{"inputs":[{"name":"x","shape":[5,2],"datatype":"FP32","data":[0,0,0,0,0,0,0,0,0,0]}]}`, 400,
			"at most 4", nil},
		{"POST", "/v2/models/echo/infer", good, 400, "has 70 bytes", []string{"Inference-Header-Content-Length", "71"}},
		{"POST", "/v2/models/echo/infer", good + "1234", 400, "belong to no input", []string{"Inference-Header-Content-Length", "70"}},
		{"POST", "/v2/models/echo/infer", good, 415, "br", []string{"Content-Encoding", "br"}},
		{"POST", "/v2/models/echo/infer", good, 400, "cannot be read", []string{"Content-Encoding", "gzip"}},
		{"POST", "/v2/models/echo/infer", strings.Repeat(" ", 1001), 413, "more than 1000 bytes", nil},
		{"POST", "/v2/models/echo/infer", zipped.String(), 413, "more than 1000 bytes", []string{"Content-Encoding", "gzip"}},
	} {
		r, body := ask(t, s, c.method, c.path, []byte(c.body), c.header...)
		require.Equal(t, c.code, r.StatusCode, "%s %s %s: %s", c.method, c.path, c.body, body)
		var e struct{ Error string }
		require.NoError(t, json.Unmarshal([]byte(body), &e), body)
		require.NotEmpty(t, e.Error)
		require.Contains(t, e.Error, c.want, c.body)
	}
	r, body := ask(t, s, "POST", "/v2/models/echo/infer", []byte(good))
	require.Equal(t, 200, r.StatusCode, body)
	require.JSONEq(t, `{"model_name":"echo","model_version":"1","outputs":[{"name":"y","datatype":"FP32","shape":[1,2],"data":[1,2]}]}`, body)
}

// Every dtype comes back as it was sent, in JSON flat and nested, and as bytes.
func TestEveryDatatypeComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dt         tensor.DType
		name, data string
	}{
		{tensor.Bool, "BOOL", "true,false,true,true"}, {tensor.Int8, "INT8", "-128,127,0,1"}, {tensor.Uint8, "UINT8", "0,255,1,2"},
		{tensor.Int16, "INT16", "-32768,32767,0,1"}, {tensor.Uint16, "UINT16", "0,65535,1,2"},
		{tensor.Int32, "INT32", "-2147483648,2147483647,0,1"},
		{tensor.Uint32, "UINT32", "0,4294967295,1,2"}, {tensor.Int64, "INT64", "-9223372036854775808,9223372036854775807,0,1"},
		{tensor.Uint64, "UINT64", "0,18446744073709551615,1,2"}, {tensor.Float16, "FP16", "-65504,0.5,1,0"},
		{tensor.BFloat16, "BF16", "-256,0.5,1,0"},
		{tensor.Float32, "FP32", "-3.4028235e+38,0.1,1e-45,0"}, {tensor.Float64, "FP64", "-1.7976931348623157e+308,0.1,5e-324,0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, serve.Options{})
			require.NoError(t, s.Add(t.Context(), "echo", "1", echo(c.dt, -1, 2), serve.ModelOptions{}))
			want := fmt.Sprintf(`{"model_name":"echo","model_version":"1","id":"q\"1","outputs":[{"name":"y","datatype":%q,"shape":[2,2],"data":[%s]}]}`, c.name, c.data)
			v := strings.Split(c.data, ",")
			for _, data := range []string{"[" + c.data + "]", fmt.Sprintf(" [ [ %s , %s ] , [ %s ,\n%s ] ] ", v[0], v[1], v[2], v[3])} {
				q := fmt.Sprintf(`{"id":"q\"1","inputs":[{"name":"x","shape":[2,2],"datatype":%q,"data":%s}],"outputs":[{"name":"y"}]}`, c.name, data)
				r, body := ask(t, s, "POST", "/v2/models/echo/infer", []byte(q))
				require.Equal(t, 200, r.StatusCode, body)
				require.Equal(t, want, body)
			}
			raw := make([]byte, 4*c.dt.Size())
			q := fmt.Appendf(nil,
				`{"inputs":[{"name":"x","shape":[2,2],"datatype":%q,"parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true}}`,
				c.name, len(raw))
			for i := range raw {
				raw[i] = byte(i % 2)
			}
			r, body := ask(t, s, "POST", "/v2/models/echo/versions/1/infer", append(q, raw...), "Inference-Header-Content-Length",
				strconv.Itoa(len(q)))
			require.Equal(t, 200, r.StatusCode, body)
			require.Equal(t, "application/octet-stream", r.Header.Get("Content-Type"))
			n, err := strconv.Atoi(r.Header.Get("Inference-Header-Content-Length"))
			require.NoError(t, err)
			require.JSONEq(t, fmt.Sprintf(`{"model_name":"echo","model_version":"1","outputs":[{"name":"y","datatype":%q,"shape":[2,2],"parameters":{"binary_data_size":%d}}]}`, c.name, len(raw)), body[:n])
			require.Equal(t, string(raw), body[n:])
		})
	}
}

func TestWhatJSONDoesNotHaveIsAskedForAsBytes(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	require.NoError(t, s.Add(t.Context(), "echo", "1", echo(tensor.Float32, -1), serve.ModelOptions{}))
	raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
	q := []byte(`{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}`)
	r, body := ask(t, s, "POST", "/v2/models/echo/infer", append(q, raw...), "Inference-Header-Content-Length", strconv.Itoa(len(q)))
	require.Equal(t, 400, r.StatusCode)
	require.Contains(t, body, "binary_data")
	q = []byte(`{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}],"outputs":[{"name":"y","parameters":{"binary_data":true}}]}`)
	r, body = ask(t, s, "POST", "/v2/models/echo/infer", append(q, raw...), "Inference-Header-Content-Length", strconv.Itoa(len(q)))
	require.Equal(t, 200, r.StatusCode)
	require.Equal(t, string(raw), body[len(body)-4:])
}

// Scalars, and tensors without elements, have data too.
func TestScalarsAndEmptyTensors(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	require.NoError(t, s.Add(t.Context(), "scalar", "1", echo(tensor.Int32), serve.ModelOptions{}))
	require.NoError(t, s.Add(t.Context(), "rows", "1", echo(tensor.Int32, -1, 2), serve.ModelOptions{}))
	for model, q := range map[string]string{
		"scalar": `{"inputs":[{"name":"x","shape":[],"datatype":"INT32","data":[7]}]}`,
		"rows":   `{"inputs":[{"name":"x","shape":[0,2],"datatype":"INT32","data":[]}]}`,
	} {
		r, body := ask(t, s, "POST", "/v2/models/"+model+"/infer", []byte(q))
		require.Equal(t, 200, r.StatusCode, body)
		want := map[string]string{"scalar": `"shape":[],"data":[7]`, "rows": `"shape":[0,2],"data":[]`}[model]
		require.Contains(t, body, want)
	}
}

package serve_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
)

func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	s := serve.New(serve.Options{})
	defer s.Shutdown(ctx)
	if err := s.Load(ctx, "softmax", "../onnx/testdata/softmax.onnx", serve.LoadOptions{Runtime: rt}); err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(s)
	defer web.Close()

	r, err := http.Post(web.URL+"/v2/models/softmax/infer", "application/json",
		strings.NewReader(`{"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[[0,0,0]]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	fmt.Println(r.StatusCode, string(body), err)
	// Output:
	// 200 {"model_name":"softmax","model_version":"1","outputs":[{"name":"y","datatype":"FP32","shape":[1,3],"data":[0.33333334,0.33333334,0.33333334]}]} <nil>
}

// Package serve answers requests for inference over HTTP, in the Open Inference Protocol version 2, the one of KServe and Triton.
//
//	s := serve.New(serve.Options{Log: slog.Default()})
//	defer s.Shutdown(ctx)
//	err := s.Load(ctx, "digits", "models/digits", serve.LoadOptions{Runtime: rt}) // an ONNX file, or a folder with one
//	err = http.ListenAndServe("127.0.0.1:8000", s)                                 // a Server is an http.Handler
//
// # Requests
//
//	GET  /v2                                    name and version of the server
//	GET  /v2/health/live, /v2/health/ready
//	GET  /v2/models/NAME                        inputs and outputs
//	GET  /v2/models/NAME/ready
//	POST /v2/models/NAME/infer
//	POST /v2/repository/index                   the models, and why one could not be loaded again
//
// NAME may be followed by /versions/VERSION. Tensors are JSON, or bytes by the extension binary_tensor_data. Errors are
// {"error": "..."} with a code: 400 for a request that is wrong, 404 for a model that is not there, 413 for a body that is too large,
// 429 with Retry-After when the queue is full, 503 when the server drains, 504 when the time is over. JSON has no NaN
// and no infinities: outputs that hold them are had as bytes.
//
// # Batches
//
// Requests to a model whose inputs and outputs all have an open first extent are run together: up to MaxBatch rows, of requests that wait,
// or that come within Delay of the first. When the model is loaded, rows are run alone and together, and where their results differ, the
// model is served without batches. Batches are filled up to a size 2^k by copies of a row, so that a few plans do for all, which are
// made ready before the model is. Where it is measured to be faster, a batch is cut into two of these sizes instead.
//
// # Other models than ONNX
//
// [Server.Add] serves any [Runner], and replaces one at once: requests that have begun end on the old one, which is then closed.
//
// Source: Open Inference Protocol, inference REST specification 2.0; Triton Inference Server, binary tensor data extension.
package serve

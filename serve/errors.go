package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/anycl/anycl/onnx"
)

// codeGone is logged where the client went away before it was answered, as nginx does.
const codeGone = 499

// httpError is an error with the code that it is answered with.
type httpError struct {
	code  int
	text  string
	retry time.Duration // when to ask again
}

func (e *httpError) Error() string { return e.text }

func failure(code int, format string, args ...any) *httpError {
	return &httpError{code: code, text: fmt.Sprintf(format, args...)}
}

// httpErrorOf is err with its code. An error that is not known to be the client's mistake is the server's.
func httpErrorOf(err error) *httpError {
	if e, ok := errors.AsType[*httpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failure(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", e.Limit)
	}
	switch {
	case errors.Is(err, onnx.ErrInput):
		return failure(http.StatusBadRequest, "%v", err)
	case errors.Is(err, context.DeadlineExceeded):
		return failure(http.StatusGatewayTimeout, "the time for the request is over")
	case errors.Is(err, context.Canceled):
		return failure(codeGone, "the client has gone")
	case errors.Is(err, ErrClosed):
		return &httpError{code: http.StatusServiceUnavailable, text: "the server is shutting down", retry: time.Second}
	}
	return failure(http.StatusInternalServerError, "%v", err)
}

// write answers with the error.
func (e *httpError) write(w http.ResponseWriter) {
	if e.code == codeGone {
		return
	}
	if e.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.retry.Seconds()))))
	}
	writeJSON(w, e.code, map[string]string{"error": e.text})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // of a type that is made here
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(code)
	_, _ = w.Write(b) // the client has gone
}

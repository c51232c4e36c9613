package serve

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// infer answers a request for inference.
func (s *Server) infer(w http.ResponseWriter, r *http.Request, v *version, info *RequestInfo) error {
	if err := allow(w, r, http.MethodPost); err != nil {
		return err
	}
	if s.draining() {
		return ErrClosed
	}
	if v.queue.full() { // before a body is read
		return v.queue.refusal()
	}
	body, release, err := s.body(w, r)
	defer release()
	if err != nil {
		return err
	}
	head, rest := body, []byte(nil)
	if h := r.Header.Get(headerLength); h != "" {
		n, err := strconv.Atoi(h)
		if err != nil || n < 0 || n > len(body) {
			return failure(400, "the header %s is %q, and the body has %d bytes", headerLength, h, len(body))
		}
		head, rest = body[:n], body[n:]
	}
	q, in, err := decodeRequest(head, rest)
	if err != nil {
		return failure(400, "%v", err)
	}
	if err := v.check(in); err != nil {
		return err
	}
	if len(in) > len(v.inputs) {
		return failure(400, "the model has %d inputs, not %d", len(v.inputs), len(in))
	}
	names, binary, err := q.outputs(v)
	if err != nil {
		return failure(400, "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), q.timeout(s.o.Timeout))
	defer cancel()
	j := v.newJob(ctx, in)
	info.Rows = j.rows
	outs, queued, err := v.queue.do(j)
	info.Queued = queued
	if err != nil {
		return err
	}
	return q.answer(w, v, names, binary, outs)
}

// body reads the body of a request, unpacked. release takes its bytes off the total of all requests, also after an error.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (b []byte, release func(), err error) {
	held := int64(0)
	release = func() { s.bodies.Add(-held) }
	hold := func(n int64) error {
		held += n
		if s.bodies.Add(n) > s.o.MaxBodies {
			return &httpError{code: http.StatusTooManyRequests, text: "the bodies of all requests take too much memory", retry: time.Second}
		}
		return nil
	}
	if r.ContentLength > s.o.MaxBody {
		return nil, release, &http.MaxBytesError{Limit: s.o.MaxBody}
	}
	var src io.Reader = http.MaxBytesReader(w, r.Body, s.o.MaxBody)
	size := r.ContentLength
	switch e := r.Header.Get("Content-Encoding"); e {
	case "", "identity":
	case "gzip", "deflate":
		size = -1
		if e == "gzip" {
			src, err = gzip.NewReader(src)
		} else {
			src, err = zlib.NewReader(src)
		}
		if err != nil {
			return nil, release, readError(err)
		}
	default:
		return nil, release, failure(http.StatusUnsupportedMediaType, "the Content-Encoding %q is not supported", e)
	}
	if size >= 0 {
		if err := hold(size); err != nil {
			return nil, release, err
		}
		b = make([]byte, size)
		if _, err := io.ReadFull(src, b); err != nil {
			return nil, release, readError(err)
		}
		return b, release, nil
	}
	var buf bytes.Buffer
	step := min(64<<10, s.o.MaxBody)
	for {
		if err := hold(step); err != nil {
			return nil, release, err
		}
		n, err := io.CopyN(&buf, src, step)
		switch {
		case int64(buf.Len()) > s.o.MaxBody:
			return nil, release, &http.MaxBytesError{Limit: s.o.MaxBody}
		case n < step && errors.Is(err, io.EOF):
			return buf.Bytes(), release, nil
		case err != nil:
			return nil, release, readError(err)
		}
	}
}

// readError is the error of a body that ends early, comes too late, or cannot be unpacked.
func readError(err error) error {
	switch _, tooLarge := errors.AsType[*http.MaxBytesError](err); {
	case tooLarge:
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure(http.StatusRequestTimeout, "the body has not come in time")
	}
	return failure(http.StatusBadRequest, "the body cannot be read: %v", err)
}

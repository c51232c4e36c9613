package serve

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/onnx"
)

// ServeHTTP answers a request of the protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	info := RequestInfo{Code: http.StatusOK}
	err := s.route(w, r, &info)
	if err != nil {
		e := httpErrorOf(err)
		info.Code = e.code
		e.write(w)
	}
	info.Duration = time.Since(start)
	if s.o.Observer != nil {
		s.o.Observer.Request(info)
	}
	level := slog.LevelInfo
	if info.Code >= 500 {
		level = slog.LevelError
	}
	if ctx := context.WithoutCancel(r.Context()); s.o.Log.Enabled(ctx, level) {
		attrs := []slog.Attr{slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("code", info.Code),
			slog.Duration("duration", info.Duration)}
		if info.Infer {
			attrs = append(attrs, slog.String("model", info.Model), slog.String("version", info.Version), slog.Int("rows", info.Rows),
				slog.Duration("queued", info.Queued))
		}
		if err != nil {
			attrs = append(attrs, slog.String("error", err.Error()))
		}
		s.o.Log.LogAttrs(ctx, level, "request", attrs...)
	}
}

// route answers, or returns an error before anything was written.
func (s *Server) route(w http.ResponseWriter, r *http.Request, info *RequestInfo) error {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if path[0] != "v2" {
		return failure(404, "there is nothing at %q: the protocol begins with /v2", r.URL.Path)
	}
	path = path[1:]
	switch {
	case len(path) == 0:
		return s.get(w, r, map[string]any{"name": s.o.Name, "version": s.o.Version,
			"extensions": []string{"binary_tensor_data", "model_repository(index)"}})
	case slices.Equal(path, []string{"health", "live"}):
		return s.get(w, r, map[string]bool{"live": true})
	case slices.Equal(path, []string{"health", "ready"}):
		return s.answerReady(w, r, map[string]any{}, !s.draining())
	case slices.Equal(path, []string{"repository", "index"}):
		return s.index(w, r)
	case path[0] != "models" || len(path) < 2:
		return failure(404, "there is nothing at %q", r.URL.Path)
	}
	name, version, rest := path[1], "", path[2:]
	if len(rest) >= 2 && rest[0] == "versions" {
		version, rest = rest[1], rest[2:]
	}
	what := strings.Join(rest, "/")
	if what != "" && what != "ready" && what != "infer" {
		return failure(404, "there is nothing at %q", r.URL.Path)
	}
	s.enter()
	defer s.end()
	v, err := s.find(name, version)
	if err != nil {
		return err
	}
	defer v.releaseSoon()
	info.Model, info.Version = v.model, v.name
	switch what {
	case "":
		return s.get(w, r, v.metadata())
	case "ready":
		return s.answerReady(w, r, map[string]any{"name": v.model}, !s.draining())
	}
	info.Infer = true
	return s.infer(w, r, v, info)
}

// answerReady answers 400 where it is not ready: the protocol has a code of 400 to 499 say so.
func (s *Server) answerReady(w http.ResponseWriter, r *http.Request, body map[string]any, ready bool) error {
	if err := allow(w, r, http.MethodGet, http.MethodHead); err != nil {
		return err
	}
	body["ready"] = ready
	code := http.StatusOK
	if !ready {
		code = http.StatusBadRequest
	}
	writeJSON(w, code, body)
	return nil
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, body any) error {
	if err := allow(w, r, http.MethodGet, http.MethodHead); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

func allow(w http.ResponseWriter, r *http.Request, methods ...string) error {
	if slices.Contains(methods, r.Method) {
		return nil
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return failure(http.StatusMethodNotAllowed, "the method is to be %s, not %s", methods[0], r.Method)
}

// index lists the models, as Triton's model repository extension does.
func (s *Server) index(w http.ResponseWriter, r *http.Request) error {
	if err := allow(w, r, http.MethodPost, http.MethodGet); err != nil {
		return err
	}
	list := []map[string]string{}
	for _, m := range s.Models() {
		state := "READY"
		if !m.Ready {
			state = "UNAVAILABLE"
		}
		x := map[string]string{"name": m.Name, "version": m.Version, "state": state, "reason": ""}
		if m.Failed != nil {
			x["reason"] = "its files have changed and cannot be loaded: " + m.Failed.Error()
		}
		list = append(list, x)
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

type tensorMetadata struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// metadata describes the model. Open extents are -1; an output whose rank neither the model nor a run has told has an empty shape.
func (v *version) metadata() any {
	list := func(infos []onnx.Info) []tensorMetadata {
		all := []tensorMetadata{}
		for _, in := range infos {
			m := tensorMetadata{Name: in.Name, Datatype: datatypeOf(in.DType), Shape: append([]int{}, in.Shape...)}
			if seen, ok := v.seen[in.Name]; ok && in.Shape == nil {
				m.Shape = slices.Repeat([]int{-1}, seen.Rank())
			}
			if seen, ok := v.seen[in.Name]; ok && m.Datatype == "" {
				m.Datatype = datatypeOf(seen.DType())
			}
			all = append(all, m)
		}
		return all
	}
	return map[string]any{
		"name": v.model, "versions": []string{v.name}, "platform": "anycl_onnx",
		"inputs": list(v.inputs), "outputs": list(v.outputs),
	}
}

// Package pprof writes profiles of graphs for `go tool pprof`. It is apart from package ops because the encoder
// compiles regular expressions when a program starts, whether the program profiles anything or not.
package pprof

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/ops"
)

// Write writes one run of a profile: each launch with the kernel, the task and the line of
// the program that asked for it.
func Write(w io.Writer, p *ops.Profile) error {
	out := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "launches", Unit: "count"}, {Type: "time", Unit: "nanoseconds"},
			{Type: "flops", Unit: "count"}, {Type: "bytes", Unit: "bytes"},
		},
		DefaultSampleType: "time",
		PeriodType:        &profile.ValueType{Type: "time", Unit: "nanoseconds"}, Period: 1,
		DurationNanos: int64(p.Traced), TimeNanos: time.Now().UnixNano(),
	}
	f := frames{out: out, made: map[frame]*profile.Location{}}
	root := f.at(frame{name: p.Graph})
	for i := range p.Spans {
		s := &p.Spans[i]
		took := int64(s.End - s.Start)
		if s.Task < 0 {
			continue
		}
		t := &p.Tasks[s.Task]
		part := 1 / float64(t.Launches)
		out.Sample = append(out.Sample, &profile.Sample{
			Value: []int64{1, took, int64(t.Flops * part), int64(t.Bytes * part)},
			Location: []*profile.Location{
				f.at(frame{name: s.Name}), f.at(frame{name: t.Name, caller: t.Caller}), f.at(frame{name: t.Where}), root,
			},
			Label: map[string][]string{"variant": {t.Variant}, "extents": {report.Extents(t.Axes)}},
		})
	}
	return out.Write(w)
}

// frame is a level of a stack: a function and the line in it.
type frame struct{ name, caller string }

// frames makes locations, equal ones once.
type frames struct {
	out  *profile.Profile
	made map[frame]*profile.Location
}

func (f *frames) at(fr frame) *profile.Location {
	if l := f.made[fr]; l != nil {
		return l
	}
	file, line := fr.caller, int64(0)
	if i := strings.LastIndexByte(fr.caller, ':'); i >= 0 {
		if n, err := strconv.ParseInt(fr.caller[i+1:], 10, 64); err == nil {
			file, line = fr.caller[:i], n
		}
	}
	id := uint64(len(f.made) + 1)
	fn := &profile.Function{ID: id, Name: fr.name, SystemName: fr.name, Filename: file, StartLine: line}
	l := &profile.Location{ID: id, Line: []profile.Line{{Function: fn, Line: line}}}
	f.out.Function, f.out.Location = append(f.out.Function, fn), append(f.out.Location, l)
	f.made[fr] = l
	return l
}

package places_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestPicturesShowEveryTaskAndWhatMoves(t *testing.T) {
	t.Parallel()
	rt := opstest.BesideCPU(t, &opstest.Slowed{Bytes: 3, Time: func(t *engine.Task) time.Duration {
		if t.Kind == engine.Contract {
			return 7
		}
		return -1
	}})
	g := NewGraph(`the "picture"`)
	x := g.Input("pixels", tensor.Float32, 8, 8)
	h := Put(MatMul(x, x), OnDevice)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(h, -1), Exp(Put(Add(h, h), OnCPU))}})
	require.NoError(t, err)
	_, err = exe.Profile(t.Context(), Feeds{x: opstest.Vec(t, []int{8, 8})}, ProfileOptions{Runs: 12})
	require.NoError(t, err)
	r := exe.Report()
	require.Len(t, r.Tasks, 4)
	require.EqualValues(t, 13, r.Runs, "those without a clock inside, the first too")
	require.Positive(t, r.Measured)
	require.Positive(t, r.Error)
	moves := map[string]int{}
	for _, v := range r.Values {
		for _, m := range v.Moves {
			moves[m.From+" to "+m.To]++
			if m.From == "slowed" || m.To == "slowed" {
				require.EqualValues(t, 3*v.Bytes, m.Predicted, v.Name)
			}
		}
	}
	require.Equal(t, map[string]int{"host to slowed": 1, "slowed to cpu": 1, "cpu to host": 2}, moves)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	var again Report
	require.NoError(t, json.Unmarshal(data, &again))
	require.Equal(t, r.DOT(), again.DOT())
	dot, svg, text := r.DOT(), r.SVG(), r.String()
	for _, task := range r.Tasks {
		for _, picture := range []string{dot, svg, text} {
			require.Contains(t, picture, task.Name)
		}
	}
	require.Equal(t, 2, strings.Count(dot, "color=red"), "both readers: %s", dot)
	require.Equal(t, 2, strings.Count(svg, `stroke="#cc0000"`))
	require.Contains(t, text, "from slowed to cpu: ")
	require.Contains(t, text, "measured")
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			require.NoError(t, err)
		}
	}
}

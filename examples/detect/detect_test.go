package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
)

// Every digit that the network is sure of should be there, after a part of the training.
func TestDigitsOfNewScenesAreFound(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "detect.svg")
	var out bytes.Buffer
	score, err := run(t.Context(), options{svg: picture, steps: 200, side: 96, scenes: 20, seed: 1}, &out, io.Discard)
	require.NoError(t, err)
	t.Log(out.String())
	assert.GreaterOrEqual(t, score, 0.35)
	assert.Contains(t, out.String(), "all on the CPU path")
	assert.Contains(t, out.String(), "non_max_suppression")
	drawn, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(drawn), "non_max_suppression")
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

// Both engines find the same in a scene before any training, when scores are alike.
func TestPlacesAgreeOnWhatTheyFind(t *testing.T) {
	testdevices.UnoptimizeTest(t) // the test above has the same kernels optimized
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	train, test, err := painters(3)
	require.NoError(t, err)
	d := newDetector(3)
	require.NoError(t, d.train(t.Context(), rt, train.lesson(32, small), 4, 3, func(float64) {}))
	s := test.scene(64)
	var want []float64
	for _, where := range []ops.Place{ops.OnCPU, ops.Auto} {
		f, err := d.finder(t.Context(), rt, s.side, where)
		require.NoError(t, err)
		boxes, scores, err := f.find(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, boxes, len(scores))
		if want == nil {
			want = scores
		}
		require.InDelta(t, len(want), len(scores), 0.05*float64(len(want))+1)
		if len(want) > 0 {
			require.InDelta(t, want[0], scores[0], 1e-3)
		}
	}
}

func TestScoresOfFindings(t *testing.T) {
	truth := []box{{0, 0, 10, 10, 1}, {20, 20, 30, 30, 1}, {40, 40, 50, 50, 2}}
	require.InDelta(t, 1./3, truth[0].overlap(box{0, 5, 10, 15, 0}), 1e-12)
	var f findings
	f.add(truth, []box{{0, 1, 10, 11, 1}, {0, 0, 10, 10, 1}, {60, 60, 70, 70, 1}, {40, 40, 50, 52, 1}}, []float64{0.9, 0.8, 0.7, 0.2})
	precision, recall := f.at(0.5)
	require.InDelta(t, 1./3, precision, 1e-12, "the second is one that was found before")
	require.InDelta(t, 1./3, recall, 1e-12)
	require.InDelta(t, (0.5+0)/2, f.mean(), 1e-12, "half of the ones, none of the twos")
}

func TestScenesAreTheSameForASeedAndTheirDigitsStandApart(t *testing.T) {
	for seed := range uint64(5) {
		_, a, err := painters(seed)
		require.NoError(t, err)
		train, b, err := painters(seed)
		require.NoError(t, err)
		s := a.scene(128)
		require.Equal(t, s, b.scene(128))
		require.NotEqual(t, s.pixels, train.scene(128).pixels)
		require.NotEmpty(t, s.boxes)
		for i, x := range s.boxes {
			for _, y := range s.boxes[:i] {
				require.Less(t, x.overlap(y), 0.03)
			}
		}
	}
}

func TestALessonMarksTheMiddleOfDigits(t *testing.T) {
	train, _, err := painters(1)
	require.NoError(t, err)
	l := train.lesson(8, small)
	require.Equal(t, []int{8, 1, small, small}, l.images.Shape())
	cells := small / stride * small / stride
	marked := 0
	for i := range 8 * cells {
		digit := l.digits.Float64At(i)
		require.Equal(t, digit >= 0, l.found.Float64At(i) == 1)
		if digit >= 0 {
			marked++
		}
	}
	require.Greater(t, marked, 8)
	require.False(t, strings.Contains(l.sides.String(), "NaN"))
}

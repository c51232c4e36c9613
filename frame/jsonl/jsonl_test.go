package jsonl

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

func init() { blockBytes = 40 }

func TestLinesBecomeColumns(t *testing.T) {
	t.Parallel()
	f, err := Read(t.Context(), strings.NewReader(`{"a":1,"b":"x\n\u00e9\"","c":true}
{ "c" : null , "d":  1e3 }

{"b":"","a":2.5, "e":null}`), Options{Workers: 2})
	require.NoError(t, err)
	require.Equal(t, []frame.Field{{Name: "a", Type: column.Float64.Of()}, {Name: "b", Type: column.String.Of()},
		{Name: "c", Type: column.Bool.Of()},
		{Name: "d", Type: column.Float64.Of()}, {Name: "e", Type: column.String.Of()}}, f.Schema())
	for row, want := range [][]any{{1.0, "x\né\"", true, nil, nil}, {nil, nil, nil, 1000.0, nil}, {2.5, "", nil, nil, nil}} {
		for i, c := range f.Columns() {
			require.Equal(t, want[i], c.Column.Value(row))
		}
	}
}

func TestMistakesNameTheirLine(t *testing.T) {
	t.Parallel()
	good := strings.Repeat(`{"a":1,"b":"text"}`+"\n", 20)
	for text, want := range map[string]string{
		good + `{"a":1`:            "line 21: the line is no JSON object",
		good + `[1]`:               "line 21: the line is no JSON object",
		good + `{"a":01}`:          "line 21: the line is no JSON object",
		good + `{"a":[1]}`:         `line 21: column "a" has an object or array`,
		good + `{"a":1,"a":2}`:     `line 21: the name "a" is there twice`,
		good + `{"a":"one"}`:       `line 21: column "a" has a string here, and a number before`,
		`{"a":true}` + "\n" + good: `line 2: column "a" has a number here, and a bool before`,
		good + `{"a":1e999}`:       `line 21: column "a": 1e999 is not held by a float64`,
	} {
		_, err := Read(t.Context(), strings.NewReader(text), Options{})
		require.ErrorContains(t, err, want)
	}
	_, err := Read(t.Context(), strings.NewReader(good), Options{Types: map[string]column.Type{"b": column.Int64.Of()}})
	require.ErrorContains(t, err, `column "b"`)
}

func TestWhatIsWrittenIsReadAgainAsTheStandardLibraryReadsIt(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	texts := []string{"", "a", "\"\\\n\t", "é\u2028", "<&>", "{\"x\":1}"}
	for range 100 {
		n := 1 + r.IntN(30)
		i, x, s, b := column.NewBuilder(column.Int64.Of(), n), column.NewBuilder(column.Float64.Of(), n),
			column.NewBuilder(column.String.Of(), n), column.NewBuilder(column.Bool.Of(), n)
		for row := range n {
			if row > 0 && r.IntN(4) == 0 {
				for _, c := range []*column.Builder{i, x, s, b} {
					c.Null()
				}
				continue
			}
			i.Int(r.Int64() - r.Int64())
			x.Float(math.Trunc(r.NormFloat64()*1e3) / []float64{1, 8, 1e-20, 7}[r.IntN(4)])
			s.Text(texts[r.IntN(len(texts))])
			b.Bool(r.IntN(2) == 0)
		}
		f, err := frame.New(frame.Named{Name: "i", Column: i.Finish()}, frame.Named{Name: "a \"b\"", Column: x.Finish()},
			frame.Named{Name: "s", Column: s.Finish()}, frame.Named{Name: "b", Column: b.Finish()})
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, Write(&out, f))
		got, err := Read(t.Context(), bytes.NewReader(out.Bytes()), Options{Workers: 3})
		require.NoError(t, err)
		require.True(t, frame.Equal(f, got), "%s\n%s\n%s", f, got, out.String())
		for row, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			var o map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &o))
			want, _ := f.Value("s", row)
			require.Equal(t, want, o["s"])
		}
	}
	f, err := frame.New(frame.Of("x", []float64{math.NaN()}))
	require.NoError(t, err)
	require.ErrorContains(t, Write(&bytes.Buffer{}, f), "JSON has no NaN")
}

func TestTheMarkOfUTF8IsSkipped(t *testing.T) {
	f, err := Read(t.Context(), strings.NewReader("\xef\xbb\xbf{\"a\": 1}\n{\"a\": 2}\n"), Options{})
	require.NoError(t, err)
	require.Equal(t, 2, f.Rows())
	f, err = Read(t.Context(), strings.NewReader("\xef\xbb\xbf"), Options{})
	require.NoError(t, err)
	require.Equal(t, 0, f.Rows())
}

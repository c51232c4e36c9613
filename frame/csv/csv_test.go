package csv

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Blocks end within rows, fields and quotes.
func init() { blockBytes, sampled = 64, 300 }

func parse(t *testing.T, text string, o Options) (*frame.Frame, error) {
	t.Helper()
	return Read(t.Context(), strings.NewReader(text), o)
}

func TestTypesAreInferred(t *testing.T) {
	t.Parallel()
	f, err := parse(t, "\xef\xbb\xbfi,f,b,d,t,z,s,code,none\r\n"+
		"1,1.5,true,2024-02-29,2024-01-02 03:04:05.25,2024-01-02T03:04:05Z,x,007,\r\n"+
		"-2,,false,1969-12-31,2024-01-02 03:04,2024-01-02T03:04:05+02:00,\"a \"\"b\"\"\n,c\",1,\r\n"+
		",1e300,,,,,\"\",,\r\n", Options{})
	require.NoError(t, err)
	var types []string
	for _, c := range f.Schema() {
		types = append(types, c.Name+" "+c.Type.String())
	}
	require.Equal(t, []string{"i int64", "f float64", "b bool", "d date32", "t timestamp[us]", "z timestamp[us, UTC]", "s utf8", "code utf8",
		"none utf8"}, types)
	row := func(i int) (v []any) {
		for _, c := range f.Columns() {
			v = append(v, c.Column.Value(i))
		}
		return v
	}
	require.Equal(t, []any{int64(1), 1.5, true, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 2, 3, 4, 5, 25e7, time.UTC),
		time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), "x", "007", nil}, row(0))
	require.Equal(t, "a \"b\"\n,c", row(1)[6])
	require.Equal(t, time.Date(2024, 1, 2, 1, 4, 5, 0, time.UTC), row(1)[5])
	require.Equal(t, []any{nil, 1e300, nil, nil, nil, nil, "", nil, nil}, row(2))
}

func TestLaterRowsWidenInferredTypes(t *testing.T) {
	t.Parallel()
	f, err := parse(t, "a,b\n1,1\n2,2\n2.5,x\n", Options{Sample: 1})
	require.NoError(t, err)
	require.Equal(t, []frame.Field{{Name: "a", Type: column.Float64.Of()}, {Name: "b", Type: column.String.Of()}}, f.Schema())
	_, err = parse(t, "a,b\n1,1\n2,2\n2.5,x\n", Options{Types: map[string]column.Type{"a": column.Int64.Of()}})
	require.ErrorContains(t, err, `line 4, byte 1: "2.5" of column "a" is no int64`)
}

func TestErrorsNameTheirPlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1,2\n", 100)
	for text, want := range map[string]string{
		"a,b\n" + long + "1\n":          "line 102, byte 1: the row has 1 fields, the header 2",
		"a,b\n" + long + "1,2,3\n":      "line 102, byte 1: the row has 3 fields, the header 2",
		"a,b\n\"x\ny\",2\n1,2\"2\n":     "line 4, byte 4: a quote within a field",
		"a,b\n" + long + "1,\"2\n":      "line 102, byte 3: a quote is not closed",
		"a,b\n1,\"2\"2\n":               `line 2, byte 6: '2' after a closed quote`,
		"":                              "the file is empty",
		"a,a\n1,2\n":                    `two columns are called "a"`,
		"a,b\n" + long + "1,2\n\n3,4,5": "line 104, byte 1: the row has 3 fields",
	} {
		_, err := parse(t, text, Options{})
		require.ErrorContains(t, err, want, "%q", text)
	}
	_, err := parse(t, "a\n1\n", Options{Types: map[string]column.Type{"z": column.Bool.Of()}})
	require.ErrorContains(t, err, `"z", which is no column`)
	_, err = parse(t, "a\n1\n", Options{Names: []string{"x", "y"}})
	require.ErrorContains(t, err, "2 names are given")
	_, err = Open(filepath.Join(t.TempDir(), "none.csv"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// sampleFrame has strings that need quotes, and nulls.
func sampleFrame(r *rand.Rand) *frame.Frame {
	n := r.IntN(60)
	texts := []string{"", "a", ",", "\"", "\n", "\r\n", "a\"b", "é,\"\"", "plain text", "NULL"}
	s, d, i, x, b := column.NewBuilder(column.String.Of(), n), column.NewBuilder(column.Date32.Of(), n),
		column.NewBuilder(column.Int8.Of(), n),
		column.NewBuilder(column.Float64.Of(), n), column.NewBuilder(column.Bool.Of(), n)
	z := column.NewBuilder(column.Type{Kind: column.Timestamp, Unit: column.Microsecond, Zone: "UTC"}, n)
	for range n {
		if r.IntN(5) == 0 {
			for _, c := range []*column.Builder{s, d, i, x, b, z} {
				c.Null()
			}
			continue
		}
		s.Text(texts[r.IntN(len(texts))])
		d.Int(int64(r.IntN(40000) - 20000))
		i.Int(int64(r.IntN(256) - 128))
		x.Float([]float64{math.NaN(), math.Inf(-1), 0, r.NormFloat64(), math.Float64frombits(r.Uint64()), float64(r.IntN(1e6)) / 1e3}[r.IntN(6)])
		b.Bool(r.IntN(2) == 0)
		z.Int(r.Int64N(1 << 50))
	}
	f, err := frame.New(frame.Named{Name: "s", Column: s.Finish()}, frame.Named{Name: "d,\"", Column: d.Finish()},
		frame.Named{Name: "i", Column: i.Finish()},
		frame.Named{Name: "x", Column: x.Finish()}, frame.Named{Name: "b", Column: b.Finish()}, frame.Named{Name: "z", Column: z.Finish()})
	if err != nil {
		panic(err)
	}
	return f
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f := sampleFrame(r)
		o := Options{Types: map[string]column.Type{}, Comma: []byte{',', ';', '\t'}[r.IntN(3)]}
		for _, c := range f.Schema() {
			o.Types[c.Name] = c.Type
		}
		var text bytes.Buffer
		require.NoError(t, Write(&text, f, o))
		o.Workers = 1 + r.IntN(3)
		got, err := parse(t, text.String(), o)
		require.NoError(t, err, text.String())
		require.True(t, frame.Equal(f, got), "%s\n%s\n%s", f, got, text.String())
	}
}

func TestFieldsAreThoseOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "1", ",", ",", "\n", "\"", "\"\"", "\r\n", "é"}
	agreed := 0
	for range 20000 {
		var text strings.Builder
		text.WriteString("x,y\n")
		for range r.IntN(12) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		want, err := stdcsv.NewReader(strings.NewReader(text.String())).ReadAll()
		got, err2 := parse(t, text.String(),
			Options{Null: []string{"none"}, Types: map[string]column.Type{"x": column.String.Of(), "y": column.String.Of()}})
		if err != nil {
			require.Error(t, err2, "%q", text.String())
			continue
		}
		require.NoError(t, err2, "%q", text.String())
		require.Equal(t, len(want)-1, got.Rows(), "%q", text.String())
		for i, row := range want[1:] {
			// The standard library makes \n of \r\n within quotes.
			norm := func(c string) string { return strings.ReplaceAll(got.Column(c).Text(i), "\r\n", "\n") }
			require.Equal(t, row, []string{norm("x"), norm("y")}, "%q", text.String())
		}
		agreed++
	}
	require.Greater(t, agreed, 2000)
}

func TestAScanReadsWhatTheQueryNeeds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n.csv")
	var text strings.Builder
	text.WriteString("n,bad,s\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "%d,%d,s%d\n", i, i, i%3)
	}
	text.WriteString("1000,not a number,s1\n")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	src, err := Open(path, Options{Sample: 10})
	require.NoError(t, err)
	sum, err := frame.Scan(src).Filter(frame.Col("s").Eq("s1")).Agg(frame.Sum("n"), frame.Rows().As("rows")).Collect(t.Context())
	require.NoError(t, err, "the column with the mistake is not read")
	v, _ := sum.Value("n", 0)
	want := int64(1000)
	for i := 1; i < 1000; i += 3 {
		want += int64(i)
	}
	require.Equal(t, want, v)
	_, err = frame.Scan(src).Collect(t.Context())
	require.ErrorContains(t, err, `line 1002, byte 6: "not a number" of column "bad" is no int64`)
	require.ErrorContains(t, err, "n.csv")
	first, err := frame.Scan(src).Limit(7).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, 7, first.Rows())
	count, err := frame.Scan(src).Agg(frame.Rows().As("rows")).Collect(t.Context())
	require.NoError(t, err)
	v, _ = count.Value("rows", 0)
	require.Equal(t, int64(1001), v)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = frame.Scan(src).Collect(ctx)
	require.ErrorIs(t, err, context.Canceled)
	few, err := frame.Scan(src).Filter(frame.Col("n").Lt(5)).Select("n", "s").Run(t.Context(), frame.Options{Memory: 6000})
	require.NoError(t, err, "rows that are left out take no memory")
	require.Equal(t, 5, few.Frame.Rows())
	require.Regexp(t, `scan .*n.csv: n, s where \(n < 5\) +1001 `, few.String())
	_, err = frame.Scan(src).Select("n", "s").Run(t.Context(), frame.Options{Memory: 1000})
	require.ErrorIs(t, err, frame.ErrMemory)
}

func TestNumbersAreReadAsStrconvReadsThem(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		s := fmt.Sprintf("%.*f", r.IntN(12), r.NormFloat64()*math.Pow10(r.IntN(12)))
		f, ok := parseFloat(s)
		require.True(t, ok, s)
		var want float64
		_, err := fmt.Sscan(s, &want)
		require.NoError(t, err)
		if math.Float64bits(f) != math.Float64bits(want) {
			t.Fatalf("%s: %v, not %v", s, f, want)
		}
	}
	for _, s := range []string{"", "-", ".", "+.", "1_0", "0x1p3", "1e", "--1", "1.2.3"} {
		_, ok := parseFloat(s)
		require.False(t, ok, s)
	}
}

// Lines without a field before the names are left out, as they are between rows.
func TestEmptyLinesMayComeFirst(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\na,b\n1,2\n":           "int64 int64 1",
		"\r\n\r\na,b\r\n1,2\r\n": "int64 int64 1",
		"\n\na,b\n":              "utf8 utf8 0",
	} {
		f, err := parse(t, text, Options{})
		require.NoError(t, err, "%q", text)
		s := f.Schema()
		require.Equal(t, []string{"a", "b"}, f.Names(), "%q", text)
		require.Equal(t, want, fmt.Sprintf("%s %s %d", s[0].Type, s[1].Type, f.Rows()), "%q", text)
	}
	f, err := parse(t, "\n5\n", Options{NoHeader: true})
	require.NoError(t, err)
	require.Equal(t, 2, f.Rows(), "a row of one column may be empty")
	require.True(t, f.Columns()[0].Column.IsNull(0))
	require.Equal(t, int64(5), f.Columns()[0].Column.Value(1))
}

func TestOptionsWithoutMeaningAreErrors(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("a", []int64{1}))
	require.NoError(t, err)
	for _, comma := range []byte{'"', '\n', '\r'} {
		require.ErrorContains(t, Write(new(bytes.Buffer), f, Options{Comma: comma}), "cannot separate fields")
		_, err := parse(t, "a\n1\n", Options{Comma: comma})
		require.ErrorContains(t, err, "cannot separate fields")
	}
	_, err = parse(t, "a\n1\n", Options{Sample: -1})
	require.ErrorContains(t, err, "-1 rows")
}

// What separates fields may be part of a number or a time.
func TestValuesThatHoldTheSeparatorAreQuoted(t *testing.T) {
	t.Parallel()
	f, err := frame.New(
		frame.Of("i", []int64{-5, 17}), frame.Of("f", []float64{1.5, -1e-300}),
		frame.Of("t", []time.Time{time.Unix(1e9, 5e8), time.Unix(0, 0)}), frame.Of("b", []bool{true, false}),
	)
	require.NoError(t, err)
	types := map[string]column.Type{}
	for _, c := range f.Schema() {
		types[c.Name] = c.Type
	}
	for _, comma := range []byte{'-', '.', ':', 'T', '5', 'e', ' ', '\t', ';'} {
		var b bytes.Buffer
		require.NoError(t, Write(&b, f, Options{Comma: comma}))
		got, err := Read(t.Context(), &b, Options{Comma: comma, Types: types})
		require.NoError(t, err, "%q", comma)
		require.True(t, frame.Equal(f, got), "%q", comma)
	}
}

// A query that needs no column still has the rows.
func TestRowsAreCountedWithoutColumns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.csv")
	require.NoError(t, os.WriteFile(path, []byte("a,b\n1,2\n3,4\n5,6\n"), 0o600))
	file, err := Open(path, Options{})
	require.NoError(t, err)
	f, err := frame.Scan(file).Agg(frame.Rows().As("n")).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(3), f.Column("n").Value(0))
}

func TestAFileWithoutRowsAndNamesHasNoColumns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "\r\n\r\n", "\xef\xbb\xbf"} {
		f, err := parse(t, text, Options{NoHeader: true})
		require.NoError(t, err, "%q", text)
		require.Empty(t, f.Names(), "%q", text)
		require.Zero(t, f.Rows(), "%q", text)
	}
}

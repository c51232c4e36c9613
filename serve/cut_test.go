package serve

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func TestDataAreCutOutOfARequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		rest string
		data []string
	}{
		`{"inputs":[{"name":"x","data":[1, 2],"shape":[2]}]}`: {`{"inputs":[{"name":"x","data":0,"shape":[2]}]}`,
			[]string{"[1, 2]"}},
		` { "inputs" : [ {"data" : [[1],[2]] } , {"data":[]}],"id":"a\"b"} `: {` { "inputs" : [ {"data" : 0 } , {"data":1}],"id":"a\"b"} `,
			[]string{"[[1],[2]]", "[]"}},
		`{"a":{"data":[1]},"inputs":[{"parameters":{"data":[1]},"data":[true]}]}`: {`{"a":{"data":[1]},"inputs":[{"parameters":{"data":[1]},"data":0}]}`, []string{"[true]"}},
		`{"a":"\\","b":[1,{"c":-1e5}],"inputs":[{"data":[0]}]}x`: {`{"a":"\\","b":[1,{"c":-1e5}],"inputs":[{"data":0}]}x`,
			[]string{"[0]"}},
	} {
		rest, data := cutData([]byte(text))
		require.Equal(t, want.rest, string(rest), text)
		for i := range want.data {
			require.Equal(t, want.data[i], string(data[i]), text)
		}
	}
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, text := range []string{
		``, `{`, `{"inputs":[{"data":[1]`, `{"inputs":[{"data":["]"]}]}`, `{"inputs":[{"data":5}]}`, `{"inputs":[{"data":null}]}`,
		`{"inputs":[{"data":[{}]}]}`,
		`{"Inputs":[{"data":[1]}],"inputs":[{"data":[1]}]}`, `{"inputs":[{"d\u0061ta":[1]}]}`, `{"inputs":[{"data":[1],"DATA":[2]}]}`,
		`{"inputs":[{"data":[1],"data":[2]}]}`,
		`{"inputs":[{"data":[1]}],"inputs":[{}]}`, `[{"data":[1]}]`, `{"inputs":{"data":[1]}}`, `{"inputs":[{"data":` + deep + `}]}`,
		`{"inputs":[{"name":"x"}]}`, "{\"inputs\":[{\"data\":[1]}\x00",
	} {
		rest, data := cutData([]byte(text))
		require.Equal(t, text, string(rest))
		require.Nil(t, data, text)
	}
}

// Data that are cut out and read here have the values that encoding/json reads, and are refused where it refuses them.
func FuzzRequestsAreThoseOfJSON(f *testing.F) {
	for _, data := range []string{
		"[1,2]", "[[1],[2]]", " [ 1 ,\n2 ] ", "[1,2,]", "[,1,2]", "[1 2]", "[1,,2]", "[1,2", "[1,2]]", "[[1,2]", "[+1,2]", "[01,2]", "[1.,2]",
		"[.5,2]", "[1e,2]", "[1e5,-2E-3]",
		"[0x1p2,1]", "[1_0,2]", "[inf,1]", "[NaN,1]", "[null,1]", "[true,false]", "[-0,0]", "[--1,2]", "[1a,2]", `["1",2]`, "[1,[2]]", "[{},1]",
		"[]", "[1e400,2]", "[1e-400,2]", "7", `"x"`,
		"[-,1]", "[1.5.5,2]", "[123456789012345678901234567890,0.000000000000000000000000001]",
	} {
		for _, dt := range []string{"FP32", "INT8", "BOOL"} {
			f.Add(fmt.Sprintf(`{"inputs":[{"name":"x","shape":[2,1],"datatype":%q,"data":%s}]}`, dt, data))
		}
	}
	f.Add(`{"inputs":[{"name":"x","shape":[],"datatype":"FP32","data":[[1]]}]}`)
	f.Add(`{"inputs":[{"name":"x","shape":[2],"datatype":"FP64","data":[1,2]}],"inputs":[{"name":"y"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, got, err := decodeRequest([]byte(text), nil)
		_, want, wanted := decodeCut([]byte(text), nil, nil)
		require.Equal(t, wanted == nil, err == nil, "%q: %v, and of encoding/json %v", text, err, wanted)
		if err == nil {
			require.Len(t, got, len(want))
			for name := range want {
				a, _ := got[name].Bytes()
				b, _ := want[name].Bytes()
				require.True(t, bytes.Equal(a, b), "%q", text)
			}
		}
	})
}

// Numbers are rounded as strconv does.
func TestNumbersAreTheNearest(t *testing.T) {
	t.Parallel()
	var words []string
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f := math.Float32frombits(r.Uint32() & 0x7fffffff)
		if f-f != 0 {
			continue
		}
		// Half the way to the next one, exactly, and a little beside.
		next := math.Nextafter32(f, math.MaxFloat32)
		half := new(big.Float).SetPrec(200).Add(big.NewFloat(float64(f)), big.NewFloat(float64(next)))
		half.Mul(half, big.NewFloat(0.5))
		words = append(words, strconv.FormatFloat(float64(f), 'g', -1, 32), strconv.FormatFloat(float64(f), 'g', -1, 64),
			strconv.FormatFloat(-float64(f), 'f', 3, 64),
			half.Text('e', 60), half.Text('g', 17), half.Text('g', 18), half.Text('g', 19))
		d := math.Float64frombits(r.Uint64() & (1<<63 - 1))
		if d-d == 0 {
			words = append(words, strconv.FormatFloat(d, 'g', -1, 64), strconv.FormatFloat(d, 'e', 17, 64))
		}
	}
	for range 20000 { // as people write them
		words = append(words, fmt.Sprintf("%d.%0*d", r.IntN(1000), 1+r.IntN(12), r.IntN(100000)), strconv.Itoa(r.IntN(1<<40)),
			fmt.Sprintf("%de%d", r.IntN(1<<30), r.IntN(60)-40))
	}
	words = append(words, "0", "-0", "-0.0", "1e-45", "7e-46", "1.17549435e-38", "3.4028235e38", "3.4028236e38", "9007199254740993",
		"18446744073709551615", "18446744073709551616")
	for _, w := range words {
		p := &parser{text: []byte(w)}
		d, ok := p.decimal()
		require.True(t, ok, w)
		require.Equal(t, len(w), p.at)
		f, err := d.float32()
		want, bad := strconv.ParseFloat(w, 32)
		require.Equal(t, bad == nil, err == nil, w)
		require.Equal(t, math.Float32bits(float32(want)), math.Float32bits(f), w)
		g, err := d.float64()
		want, bad = strconv.ParseFloat(w, 64)
		require.Equal(t, bad == nil, err == nil, w)
		require.Equal(t, math.Float64bits(want), math.Float64bits(g), w)
	}
}

func TestDataOfAScalarAreNotNested(t *testing.T) {
	t.Parallel()
	one := tensor.Must(tensor.New(tensor.Float32))
	require.NoError(t, parseData(one, []byte("[7]")))
	require.Equal(t, 7.0, one.Float64At(0))
	require.Error(t, parseData(one, []byte("[[7]]")))
}

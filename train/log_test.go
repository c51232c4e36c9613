package train

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// records takes the frames off a file, with the check sums computed bit by bit.
func records(t *testing.T, b []byte) (all [][]byte) {
	t.Helper()
	crc := func(b []byte) uint32 {
		c := ^uint32(0)
		for _, x := range b {
			c ^= uint32(x)
			for range 8 {
				c = c>>1 ^ c&1*0x82f63b78
			}
		}
		c = ^c
		return (c>>15 | c<<17) + 0xa282ead8
	}
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		require.Equal(t, crc(b[:8]), binary.LittleEndian.Uint32(b[8:]))
		message := b[12 : 12+n]
		require.Equal(t, crc(message), binary.LittleEndian.Uint32(b[12+n:]))
		all, b = append(all, message), b[16+n:]
	}
	return all
}

func TestEventsHaveTheBytesOfTheFormat(t *testing.T) {
	// The check value of CRC-32C, and its mask as TFRecord defines it.
	require.Equal(t, uint32(0xe3069283>>15|0xe3069283<<17&0xffffffff)+0xa282ead8, masked([]byte("123456789")))

	var b bytes.Buffer
	e := newEventWriter(&b, func() time.Time { return time.Unix(1, 5e8) })
	require.NoError(t, e.begin(300))
	require.NoError(t, e.Scalar("loss", 300, 0.5))
	require.NoError(t, e.Close())
	all := records(t, b.Bytes())
	require.Len(t, all, 3)
	// wall_time 1.5; then file_version; step 300 and session_log {status: START}; summary {value {tag: "loss", simple_value: 0.5}}.
	require.Equal(t, "09000000000000f83f"+"1a0d"+hex.EncodeToString([]byte("brain.Event:2")), hex.EncodeToString(all[0]))
	require.Equal(t, "09000000000000f83f"+"10ac02"+"3a020801", hex.EncodeToString(all[1]))
	require.Equal(t, "09000000000000f83f"+"10ac02"+"2a0d"+"0a0b"+"0a04"+hex.EncodeToString([]byte("loss"))+"150000003f", hex.EncodeToString(all[2]))

	// A tag so long that lengths take two bytes.
	b.Reset()
	e = newEventWriter(&b, func() time.Time { return time.Unix(0, 0) })
	tag := string(bytes.Repeat([]byte("x"), 200))
	require.NoError(t, e.Scalar(tag, 0, 1))
	require.NoError(t, e.Flush())
	message := records(t, b.Bytes())[0]
	require.Equal(t, "2ad301"+"0ad001"+"0ac801", hex.EncodeToString(message[9:18]))
	require.Len(t, message, 9+3+0xd3)
}

func TestEventFilesAreFoundByTheirNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	e, err := NewEventWriter(dir, 0)
	require.NoError(t, err)
	require.NoError(t, e.record(&Record{Step: 3, Metrics: map[string]Number{"mae": 1}}, []string{"mae"}))
	require.NoError(t, e.Close())
	files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Len(t, records(t, b), 1+5)
	_, err = NewEventWriter(files[0], 0)
	require.Error(t, err)
}

func TestNumbersThatAreNoneSurviveJSON(t *testing.T) {
	in := []Number{0.1, Number(math.NaN()), Number(math.Inf(1)), Number(math.Inf(-1)), math.MaxFloat64, math.SmallestNonzeroFloat64}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	var out []Number
	require.NoError(t, json.Unmarshal(text, &out))
	require.Len(t, out, len(in))
	for i := range in {
		if i == 1 {
			require.True(t, math.IsNaN(float64(out[i])))
			continue
		}
		require.Equal(t, in[i], out[i])
	}
	require.Error(t, json.Unmarshal([]byte(`["x"]`), &out))
}

func TestCurvesPassThroughTheirPoints(t *testing.T) {
	red := color.RGBA{255, 0, 0, 255}
	p := draw(400, 300, curve{name: "train", color: red, x: []float64{1, 50, 100}, y: []float64{4, math.NaN(), 1}, marked: true})
	require.True(t, p.log)
	for _, at := range [][2]float64{{1, 4}, {100, 1}} {
		x, y := p.at(at[0], at[1])
		require.Equal(t, red, p.RGBAAt(x, y))
	}
	x, y := p.at(50, 2.02) // half way: a line across the point that is none
	found := false
	for d := -4; d <= 4; d++ {
		found = found || p.RGBAAt(x, y+d) == red
	}
	require.True(t, found)
	for _, empty := range [][]float64{nil, {math.NaN()}, {3}, {0}} {
		h := &History{}
		for i, v := range empty {
			h.Records = append(h.Records, Record{Step: i, Loss: Number(v), ValidLoss: Number(math.NaN())})
		}
		require.NoError(t, h.WritePNG(&bytes.Buffer{}))
	}
	require.Equal(t, []float64{0, 20, 40, 60, 80, 100}, ticks(0, 100))
	for _, glyph := range glyphs {
		require.Len(t, glyph, 19)
	}
}

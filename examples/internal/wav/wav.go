// Package wav reads and writes sound in files of the format WAV: one channel of 16-bit PCM.
package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// ErrFormat is the error of a file of another format.
var ErrFormat = errors.New("not a WAV file with PCM of 16 bits and one channel")

// Decode returns the samples of a RIFF file, from -1 to 1, and how many there are in a second. Error: ErrFormat.
func Decode(b []byte) (signal []float32, rate int, err error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, 0, ErrFormat
	}
	for b = b[12:]; len(b) >= 8; {
		name, size := string(b[:4]), int(binary.LittleEndian.Uint32(b[4:]))
		b = b[8:]
		size = min(size, len(b))
		switch chunk := b[:size]; {
		case name == "fmt " && size >= 16:
			if binary.LittleEndian.Uint16(chunk) != 1 || binary.LittleEndian.Uint16(chunk[2:]) != 1 || binary.LittleEndian.Uint16(chunk[14:]) != 16 {
				return nil, 0, ErrFormat
			}
			rate = int(binary.LittleEndian.Uint32(chunk[4:]))
		case name == "data" && size >= 2 && rate > 0:
			signal = make([]float32, size/2)
			for i := range signal {
				signal[i] = float32(int16(binary.LittleEndian.Uint16(chunk[2*i:]))) / 32768
			}
			return signal, rate, nil
		}
		b = b[min(size+size%2, len(b)):]
	}
	return nil, 0, ErrFormat
}

// Encode is the opposite. Values beyond -1 and 1 are clipped.
func Encode(signal []float32, rate int) []byte {
	var b bytes.Buffer
	b.WriteString("RIFF")
	pcm := make([]int16, len(signal))
	for i, v := range signal {
		pcm[i] = int16(math.Round(math.Max(-1, math.Min(1, float64(v))) * 32767))
	}
	for _, v := range []any{uint32(36 + 2*len(pcm)), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2 * rate),
		uint16(2), uint16(16), []byte("data"), uint32(2 * len(pcm)), pcm} {
		_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes all
	}
	return b.Bytes()
}

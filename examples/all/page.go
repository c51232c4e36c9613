package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/draw"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// page is examples/README.md.
func page(records []gallery.Record, file string) []byte {
	byName := map[string]gallery.Record{}
	for _, r := range records {
		byName[r.Name] = r
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The gallery

One small program for each field that asks for GPUs. Each runs by one command on a machine that has nothing but Go, on an OpenCL
device where there is one and on the CPU path beside it; it draws what it found, and checks itself against a known answer.

    go run ./examples/stars                # -h says what can be changed, -peer compares with what others have
    go run ./examples/fetch                # real data too large to come along; without them programs take smaller ones

Made by `+"`make gallery`"+` of [the record](../%s); do not edit. Times are medians of a run without compiling, for the first work
that a program prints; how many times as long others take stands in parentheses. Lines are those of a program's page, main.go, plus
those of its kernels in OpenCL C; beside them stand those of files that read data, draw and print, and of what it is checked by: kernels
in Go, plain references and peers.

`, filepath.ToSlash(file))
	fmt.Fprintf(&b, "| | program | lines | data, pictures | checks | device | CPU path | peer |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, p := range gallery.Programs {
		if r, ok := byName[p.Name]; ok && len(r.Works) > 0 {
			row(&b, p, r)
		}
	}
	if len(records) > 0 {
		r := records[0]
		fmt.Fprintf(&b, "\nMeasured on %d cores of %s with %s, driver %s, and %s, on %s.\n", r.Cores, r.CPU, r.Device, r.Driver, r.Go,
			r.Date[:10])
	}
	b.WriteString("\nMore examples, of training and of the package's parts, are in [docs/commands.md](../docs/commands.md#examples).\n")
	return b.Bytes()
}

// row is that of a program, with the times of its first work.
func row(b *bytes.Buffer, p gallery.Info, r gallery.Record) {
	w := r.Works[0]
	device := gallery.Seconds(w.Runs[0].Seconds)
	if w.Amount > 0 {
		device += fmt.Sprintf(" (%s %s/s)", gallery.Number(w.Amount/w.Runs[0].Seconds), w.Unit)
	}
	peer := ""
	switch {
	case w.Peer != nil:
		peer = w.Peer.Name + " " + w.Peer.Version + ": " + times(&w, gallery.RunRecord{Seconds: w.Peer.Seconds, Amount: w.Peer.Amount})
	case len(r.Missing) > 0:
		peer = strings.Join(r.Missing, ", ") + " not installed"
	}
	picture := ""
	if p.Draws {
		picture = fmt.Sprintf(`<img src="README.d/%s.png" width="240"> `, p.Name)
	}
	lines := fmt.Sprint(r.Lines.Go)
	if r.Lines.Kernels > 0 {
		lines += fmt.Sprintf(" + %d", r.Lines.Kernels)
	}
	some := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	fmt.Fprintf(b, "| %s| **[%s](%s/main.go)** (%s) %s. Timed: %s | %s | %s | %s | %s | %s | %s |\n",
		picture, p.Name, p.Name, p.Field, p.Does, w.Name, lines, some(r.Lines.Rest), some(r.Lines.Checks), device,
		times(&w, w.Runs[len(w.Runs)-1]), peer)
}

// times is how long a run takes for all of the work, and how many times as long as on the device.
func times(w *gallery.WorkRecord, r gallery.RunRecord) string {
	seconds := r.Seconds
	if r.Amount > 0 && w.Amount > 0 {
		seconds *= w.Amount / r.Amount
	}
	return fmt.Sprintf("%s (%s)", gallery.Seconds(seconds), gallery.Number(w.Ratio(r)))
}

// most is how large the file of a picture may be, in bytes.
const most = 60 << 10

// shrink writes a smaller copy of a picture, as wide as its file may be large.
func shrink(from, to string) error {
	f, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) { // a program without a picture
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		return err
	}
	b := picture.Bounds()
	for width := min(480, b.Dx()); width > 32; width -= width / 8 {
		small := image.NewRGBA(image.Rect(0, 0, width, max(1, width*b.Dy()/b.Dx())))
		draw.Draw(small, small.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.CatmullRom.Scale(small, small.Rect, picture, b, draw.Over, nil)
		var out bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
			return err
		}
		if out.Len() <= most {
			return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, out.Bytes(), 0o644))
		}
	}
	return fmt.Errorf("%s cannot be made small enough", from)
}

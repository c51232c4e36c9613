// Ocr reads the text on a photograph by networks of others, ONNX files, and draws the recognised text beside it.
//
//	go run ./examples/fetch ocr                 # the networks and a photograph of a page, 36 MB
//	go run ./examples/ocr [-photo FILE] [-out ocr.png]
//
// The networks are those of PP-OCRv4 (PaddleOCR). The first says for each pixel whether text is there (Liao et al., Real-time Scene Text
// Detection with Differentiable Binarization, 2020); pixels that hang together are a line. The second gives for each slice of a line the
// sign that stands there, or none. Text is read on the device and on the CPU path, and must equal the text printed on the page.
package main

import (
	"context"
	"flag"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/ops"
)

// printed is the text on the page.
const printed = `Region-based segmentation
Let us first determine markers of the coins and the
background. These markers are pixels that we can label
unambiguously as either object or background. Here,
the markers are found at the two extreme parts of the
histogram of grey values:
>>> markers = np.zeros_like(coins)`

func main() {
	photo := flag.String("photo", "", "JPEG or PNG `file` (default the page that was fetched)")
	gallery.Main("ocr", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, *photo) })
}

// letters are a text without spaces, which the reader leaves out where they are narrow.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }

func run(ctx context.Context, p *gallery.Program, path string) error {
	photo, err := photos.Open(path, dataset.Page.Read)
	if err != nil {
		return err
	}
	keys, err := dataset.TextSigns.Read()
	if err != nil {
		return err
	}
	signs := append(append([]string{""}, strings.Split(strings.TrimSuffix(string(keys), "\n"), "\n")...), " ")
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()

	detector, err := open(ctx, p, rt, dataset.TextDetector)
	if err != nil {
		return err
	}
	reader, err := open(ctx, p, rt, dataset.TextReader)
	if err != nil {
		return err
	}
	where, err := detector.Run(ctx, seen(photo))
	if err != nil {
		return err
	}
	found := lines(gallery.Only(where), photo.Bounds())
	if len(found) == 0 {
		p.Check(path != "", "there is text on the page")
		return nil
	}
	scores, err := reader.Run(ctx, cut(photo, found))
	if err != nil {
		return err
	}
	for i, text := range read(gallery.Only(scores), signs) {
		found[i].text = text
		p.Printf("%v %s\n", found[i].box().Min, text)
	}
	if err := p.WritePNG(drawn(photo, found)); err != nil {
		return err
	}

	maps, err := detector.Times(ctx, gallery.Work{Name: "finding text", Amount: 1, Unit: "pictures"}, 1e-3)
	if err != nil {
		return err
	}
	for _, r := range maps[1:] {
		p.Check(gallery.Apart(gallery.Only(r.Value), gallery.Only(maps[0].Value)) < 1e-3,
			"%s and %s find text at the same pixels", maps[0].Where, r.Where)
	}
	results, err := reader.Times(ctx, gallery.Work{Name: "reading lines", Amount: float64(len(found)), Unit: "lines"}, 1e-3)
	for _, r := range results {
		if path == "" {
			all := strings.Join(read(gallery.Only(r.Value), signs), "\n")
			off, spaces := distance(letters(all), letters(printed)), strings.Count(printed, " ")-strings.Count(all, " ")
			p.Check(off == 0,
				"%s reads what is printed: %d of %d letters are wrong, and %d spaces left out", r.Where, off, len(letters(printed)), spaces)
		}
	}
	return err
}

func open(ctx context.Context, p *gallery.Program, rt *ops.Runtime, f dataset.File) (*gallery.Model, error) {
	file, err := f.Read()
	if err != nil {
		return nil, err
	}
	return gallery.OpenModel(ctx, p, rt, file)
}

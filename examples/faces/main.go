// Faces finds faces on a photograph by a network of others, an ONNX file, and draws where they are.
//
//	go run ./examples/fetch faces               # the network and a photograph, 21 MB
//	go run ./examples/faces [-photo FILE] [-threshold 0.6] [-out faces.png]
//
// The network is BlazeFace (Bazarevsky et al., BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs, 2019), that of
// MediaPipe for faces that are far away. It says for each of 896 anchors whether a face lies there, and where its box, eyes, nose,
// mouth and ears are. It runs on the device and on the CPU path, which must find the same faces.
package main

import (
	"context"
	"flag"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/photos"
)

type options struct {
	photo     string
	threshold float64
}

func main() {
	var o options
	flag.StringVar(&o.photo, "photo", "", "JPEG or PNG `file` (default the astronaut that was fetched)")
	gallery.Float(&o.threshold, "threshold", 0.6, 0, 1, "score above which something is a face")
	gallery.Main("faces", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	photo, err := photos.Open(o.photo, dataset.Astronaut.Read)
	if err != nil {
		return err
	}
	file, err := dataset.Faces.Read()
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	m, err := gallery.OpenModel(ctx, p, rt, file)
	if err != nil {
		return err
	}
	first, err := m.Run(ctx, seen(photo))
	if err != nil {
		return err
	}
	faces := found(first, o.threshold)
	for _, f := range faces {
		b := f.within(photo.Bounds())
		p.Printf("a face at %v, %d x %d pixels, its eyes at %v and %v: score %.2f\n", b.Min, b.Dx(), b.Dy(),
			onto(photo.Bounds(), f.points[0][0], f.points[0][1]), onto(photo.Bounds(), f.points[1][0], f.points[1][1]), f.score)
	}
	if o.photo == "" && o.threshold >= 0.4 && o.threshold <= 0.8 {
		p.Check(len(faces) == 1 && near(faces, photo.Bounds()),
			"one face is found, with both eyes where they are on the photograph, within 4 pixels")
	}
	if err := p.WritePNG(drawn(photo, faces)); err != nil {
		return err
	}
	results, err := m.Times(ctx, gallery.Work{Name: "finding faces", Amount: 1, Unit: "pictures"}, 1e-3)
	for _, r := range results {
		p.Check(alike(faces, found(r.Value, o.threshold)), "%s finds these faces", r.Where)
	}
	return err
}

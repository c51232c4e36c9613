// Speech transcribes a recording: a small network finds where somebody speaks, and two others turn that into text.
//
//	go run ./examples/fetch speech              # 29 MB: the models, a sentence of Jane Austen's, and what is said in it
//	go run ./examples/speech [-wav FILE]        # 16 kHz, mono, 16 bits
//
// The models are files of others: Silero's detector of speech, a recurrent network that is run for each 32 ms; and Moonshine tiny,
// an encoder of sound and a decoder that gives a token at a time and keeps keys and values of those before, both with weights of 8
// bits (Jeffries et al., Moonshine: Speech Recognition for Live Transcription and Voice Commands, 2024). It prints the text, and
// checks it word by word with the transcript that comes with the recording.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

const rate = 16000 // samples a second, of all models

func main() {
	file := flag.String("wav", "", "recording to write down, 16 kHz, mono, 16 bits (default the sentence that was fetched)")
	gallery.Main("speech", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, *file) })
}

func run(ctx context.Context, p *gallery.Program, file string) error {
	said := ""
	var content []byte
	var err error
	if file == "" {
		if content, err = dataset.Sentence.Read(); err != nil {
			return err
		}
		if said, err = transcript(dataset.Sentence.Name); err != nil {
			return err
		}
	} else if content, err = os.ReadFile(file); err != nil {
		return err
	}
	sound, err := decode(content)
	if err != nil {
		return fmt.Errorf("%s: %w", cmp.Or(file, dataset.Sentence.Name), err)
	}
	m, err := load()
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()

	from, to, err := m.spoken(ctx, rt, p, sound)
	if err != nil {
		return err
	}
	p.Printf("%.2f s of sound, in which somebody speaks from %.2f s to %.2f s\n", seconds(len(sound)), seconds(from), seconds(to))
	host, err := m.transcriber(ctx, rt, ops.OnCPU) // which needs no kernels: a driver compiles those of the device for a minute
	if err != nil {
		return err
	}
	text, err := host.text(ctx, sound)
	if err != nil {
		return err
	}
	p.Printf("%s\n", strings.TrimSpace(text))
	work := gallery.Work{Name: "speech to text", Amount: seconds(len(sound)), Unit: "s of sound"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) (string, error), error) {
		t := host
		if place == ops.OnDevice {
			if t, err = m.transcriber(ctx, rt, ops.Auto); err != nil { // some operators of the models are computed on the host
				return nil, err
			}
		}
		return func(ctx context.Context) (string, error) { return t.text(ctx, sound) }, nil
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		p.Printf("%s: %s\n", r.Where, strings.TrimSpace(r.Value))
		if said != "" {
			p.Check(words(r.Value) == said, "%s writes down what the transcript says: %s", r.Where, said)
		}
	}
	return nil
}

func seconds(samples int) float64 { return float64(samples) / rate }

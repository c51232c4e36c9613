// Embed finds the sentences of a novel that are nearest in meaning to a question, by vectors of sentences.
//
//	go run ./examples/fetch embed               # the encoder, 26 MB
//	go run ./examples/embed [-query TEXT] [-text FILE] [-count 512]
//
// The encoder is Universal Sentence Encoder Lite (Cer et al., Universal Sentence Encoder, 2018), a transformer of two layers with
// trained weights. Its authors keep it for TensorFlow.js; here it is built of package ops, reads its words by package tokenizer,
// and is written as an ONNX file for onnxruntime (-peer). Sentences are ranked by the cosines of their vectors with that of the
// question.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/transformer/data"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct {
	query, text string
	count       int
}

func main() {
	var o options
	flag.StringVar(&o.query, "query", "", "what to look for (default several)")
	flag.StringVar(&o.text, "text", "", "`file` with sentences to search for -query (default Moby Dick)")
	gallery.Int(&o.count, "count", 512, 1, 1e6, "sentences to search, the first ones")
	gallery.Main("embed", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

// known are questions, with words of the sentence that each means.
var known = [][2]string{
	{"My name is Ishmael.", "Call me Ishmael."},
	{"Every man is a slave in some way.", "Who ain't a slave?"},
	{"The weather turned from fine and cold to rain and fog.", "from clear, sunny cold, to driving sleet and mist"},
	{"I asked the landlord for a room, and he answered that all beds were taken.", "his house was full—not a bed unoccupied"},
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	text, err := data.MobyDick()
	if err != nil {
		return err
	}
	if o.text != "" {
		b, err := os.ReadFile(o.text)
		if err != nil {
			return err
		}
		text = string(b)
	}
	all := sentences(text, o.count)
	if len(all) == 0 || o.text != "" && o.query == "" {
		return errors.New("-text FILE needs -query TEXT, and sentences of three words or more")
	}
	words, weights, err := load()
	if err != nil {
		return err
	}
	g, ids, y := encoder(weights)
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()

	first, err := batch(words, all[:min(rows, len(all))])
	if err != nil {
		return err
	}
	var exe *ops.Executable // where it is fastest: that of the first place
	results, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "encoding sentences", Amount: rows, Unit: "sentences"},
		func(place ops.Place) (func(context.Context) (*tensor.Tensor, error), error) {
			e, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}, Place: place})
			if err != nil {
				return nil, err
			}
			if exe == nil {
				exe = e
			}
			return func(ctx context.Context) (*tensor.Tensor, error) { return one(e.Run(ctx, ops.Feeds{ids: first})) }, nil
		})
	if err != nil {
		return err
	}
	for _, r := range results[1:] {
		apart := gallery.Apart(r.Value, results[0].Value)
		p.Check(apart < 1e-4, "the vectors of %s and %s are the same within %.1e of the largest element", results[0].Where, r.Where, apart)
	}
	var file bytes.Buffer
	if p.Peers {
		if err := onnx.Write(ctx, &file, []onnx.Output{{Name: "vectors", Node: y}}, nil); err != nil {
			return err
		}
	}
	theirs, err := p.BesideONNXRuntime(ctx, file.Bytes(), map[string]*tensor.Tensor{"ids": first})
	if err != nil {
		return err
	}
	if theirs != nil {
		apart := gallery.Apart(results[0].Value, theirs["vectors"])
		p.Check(apart < 1e-4, "the vectors of the ONNX file in onnxruntime are the same within %.1e of the largest element", apart)
	}
	return rank(ctx, p, o, all, func(texts []string) ([][]float64, error) { return vectors(ctx, exe, words, ids, texts) })
}

// rank prints the nearest sentences to each question.
func rank(ctx context.Context, p *gallery.Program, o options, all []string, encode func([]string) ([][]float64, error)) error {
	var queries [][2]string
	switch {
	case o.query != "" || o.text != "":
		queries = [][2]string{{o.query, ""}}
	default:
		for _, q := range known {
			if slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, q[1]) }) {
				queries = append(queries, q)
			}
		}
	}
	texts := append([]string{}, all...)
	for _, q := range queries {
		texts = append(texts, q[0])
	}
	v, err := encode(texts)
	if err != nil {
		return err
	}
	for i, q := range queries {
		near := nearest(v[:len(all)], v[len(all)+i], 3)
		p.Printf("\n%s\n", q[0])
		for _, k := range near {
			p.Printf("  %.2f  %s\n", dot(v[k], v[len(all)+i]), all[k])
		}
		if q[1] != "" && len(near) > 0 {
			p.Check(strings.Contains(all[near[0]], q[1]), "%q finds %q first", q[0], q[1])
		}
	}
	return ctx.Err()
}

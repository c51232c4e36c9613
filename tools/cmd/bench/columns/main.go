// Command columns answers the questions of db-benchmark (h2o) with package frame, DuckDB and Polars, in turns, and prints times and ratios.
//
//	go run ./tools/cmd/bench/columns -rows 1e7 -peers FOLDER
//
// With -device NAME it compares the CPU path with a device, question by question, and says what stays on the CPU path.
//
// FOLDER has the peers, installed by npm: @duckdb/node-api, nodejs-polars and its native package. Without it, frame runs alone.
// Every answer is compared with the peers': its rows, and the sums of its columns. Data are made from a seed.
// Source of the questions: H2O.ai, Database-like ops benchmark (2021).
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
)

func main() {
	rows := flag.Float64("rows", 1e6, "rows of the tables")
	peers := flag.String("peers", "", "folder with node_modules")
	turns := flag.Int("turns", 3, "times that each question is asked")
	only := flag.String("only", "", "questions, separated by commas")
	dictionary := flag.Bool("dictionary", false, "give frame its strings as dictionary columns; the peers keep plain strings")
	explain := flag.Bool("explain", false, "print frame's plans with times")
	device := flag.String("device", "", "compare the CPU path with this device, in place of peers: a name as in ANYCL_DEVICE")
	flag.Parse()
	if *device != "" {
		if err := onDevice(int(*rows), *turns, *device, *only, *explain); err != nil {
			fmt.Fprintln(os.Stderr, "columns:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(int(*rows), *turns, *peers, *only, *dictionary, *explain); err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

func run(rows, turns int, folder, only string, dictionary, explain bool) error {
	ctx := context.Background()
	t, err := generate(rows, dictionary)
	if err != nil {
		return err
	}
	var others []*peer
	if folder != "" {
		dir, err := os.MkdirTemp("", "columns")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for name, f := range t {
			if err := save(filepath.Join(dir, name+".csv"), f); err != nil {
				return err
			}
		}
		for _, name := range []string{"duckdb", "polars"} {
			p, err := startPeer(name, folder, dir)
			if err != nil {
				return err
			}
			defer p.stop()
			others = append(others, p)
		}
	}
	fmt.Printf("%d rows, %d processors, best of %d\n%-28s %9s", rows, runtime.GOMAXPROCS(0), turns, "question", "frame")
	for _, p := range others {
		fmt.Printf(" %9s", p.name)
	}
	fmt.Println("   ratio to the faster")
	logs, asked := 0.0, 0
	for _, q := range questions(t) {
		if only != "" && !slices.Contains(strings.Split(only, ","), q.name) {
			continue
		}
		best := make([]time.Duration, 1+len(others))
		for range turns {
			var want answer
			for i := range best {
				var a answer
				if i == 0 {
					runtime.GC()
					start := time.Now()
					r, err := q.query.Run(ctx, frame.Options{})
					if err != nil {
						return fmt.Errorf("%s: %w", q.name, err)
					}
					a = answer{time: time.Since(start), rows: r.Frame.Rows(), sums: sums(r.Frame, q.checked)}
					want = a
					if explain {
						fmt.Print(r)
					}
				} else if a, err = others[i-1].ask(q.name); err != nil {
					return fmt.Errorf("%s: %s: %w", others[i-1].name, q.name, err)
				}
				if best[i] == 0 || a.time < best[i] {
					best[i] = a.time
				}
				if d := differs(want, a); d != "" && a.time > 0 {
					return fmt.Errorf("%s: %s answers otherwise: %s", q.name, others[i-1].name, d)
				}
			}
		}
		fmt.Printf("%-28s", q.name+" "+q.text)
		faster := time.Duration(math.MaxInt64)
		for i, d := range best {
			if d == 0 {
				fmt.Printf(" %9s", "-")
				continue
			}
			fmt.Printf(" %6.0f ms", float64(d)/1e6)
			if i > 0 {
				faster = min(faster, d)
			}
		}
		if len(others) > 0 {
			ratio := float64(faster) / float64(best[0])
			logs, asked = logs+math.Log(ratio), asked+1
			fmt.Printf("   %.2f", ratio)
		}
		fmt.Println()
		debug.FreeOSMemory()
	}
	if asked > 0 {
		fmt.Printf("geometric mean of the ratios: %.2f (above 1: frame is faster)\n", math.Exp(logs/float64(asked)))
	}
	return nil
}

func save(path string, f *frame.Frame) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := csv.Write(w, f, csv.Options{}); err != nil {
		return err
	}
	return w.Close()
}

// answer is what is known of a result.
type answer struct {
	time time.Duration
	rows int
	sums []float64
}

func sums(f *frame.Frame, names []string) (out []float64) {
	for _, name := range names {
		r, err := f.Query().Agg(frame.Sum(name).As("s")).Collect(context.Background())
		if err != nil {
			panic(err)
		}
		v, _ := r.Value("s", 0)
		switch v := v.(type) {
		case int64:
			out = append(out, float64(v))
		case float64:
			out = append(out, v)
		default:
			out = append(out, 0)
		}
	}
	return out
}

func differs(a, b answer) string {
	if a.rows != b.rows || len(a.sums) != len(b.sums) {
		return fmt.Sprintf("%d rows, frame has %d", b.rows, a.rows)
	}
	for i := range a.sums {
		if d := math.Abs(a.sums[i] - b.sums[i]); d > 1e-6*max(1, math.Abs(a.sums[i])) {
			return fmt.Sprintf("sums %v, frame has %v", b.sums, a.sums)
		}
	}
	return ""
}

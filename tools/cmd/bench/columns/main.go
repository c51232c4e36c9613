// Command columns answers questions with package frame, DuckDB and Polars, in turns, and prints times and ratios.
//
//	go run ./tools/cmd/bench/columns -rows 1e7 -peers FOLDER                # those of db-benchmark (h2o)
//	go run ./tools/cmd/bench/columns -suite tpch -scale 1 -peers FOLDER     # queries 1, 3, 6 and 12 of TPC-H, over tables that were loaded
//	go run ./tools/cmd/bench/columns -suite scan -scale 1 -peers FOLDER     # reading TPC-H's lineitem as CSV and Parquet, also as DuckDB writes it
//
// With -device NAME it compares the CPU path with a device, question by question, and lists the steps that stay on the CPU path.
//
// FOLDER has the peers, installed by npm: @duckdb/node-api, nodejs-polars and its native package. Without it, frame runs alone.
// Every answer is compared with the peers': its rows, and the sums of its columns; those of TPC-H at scale 1 also with the answers of the
// generator's authors. Data are made from a seed; -data names a folder in which TPC-H's are kept.
// Source of the questions: H2O.ai, Database-like ops benchmark (2021).
package main

import (
	"context"
	"errors"
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

// options are the settings of the command line.
type options struct {
	suite, peers, only, data string
	device                   string
	rows, scale, turns       int
	dictionary, explain, cpu bool
	memory                   bool
}

func main() {
	var o options
	flag.StringVar(&o.suite, "suite", "h2o", "h2o, tpch or scan")
	rows := flag.Float64("rows", 1e6, "rows of h2o's tables")
	flag.IntVar(&o.scale, "scale", 1, "of TPC-H's tables: 1 is 6,001,215 lines")
	flag.StringVar(&o.data, "data", "", "folder for TPC-H's tables, which are made if they are not there")
	flag.StringVar(&o.peers, "peers", "", "folder with node_modules")
	flag.IntVar(&o.turns, "turns", 3, "times that each question is asked")
	flag.StringVar(&o.only, "only", "", "questions, separated by commas")
	flag.BoolVar(&o.dictionary, "dictionary", false, "give frame h2o's strings as dictionary columns; the peers keep plain strings")
	flag.BoolVar(&o.explain, "explain", false, "print frame's plans with times")
	flag.BoolVar(&o.cpu, "cpu", false, "compare the time of all processors in place of that on the clock, which other programs make longer")
	flag.BoolVar(&o.memory, "memory", false, "ask once more, and print the most memory that each process has meanwhile, its tables included (Linux)")
	flag.StringVar(&o.device, "device", "", "compare the CPU path with this device on h2o's questions, in place of peers: a name as in ANYCL_DEVICE")
	flag.Parse()
	o.rows = int(*rows)
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

// prepare makes the tables of a suite, writes the peers' files into a folder, and returns the questions.
func (o options) prepare(dir string) (asked []question, rows int, err error) {
	switch o.suite {
	case "h2o":
		t, err := generate(o.rows, o.dictionary)
		if err != nil {
			return nil, 0, err
		}
		if o.peers != "" {
			for name, f := range t {
				if err := save(filepath.Join(dir, name+".csv"), f); err != nil {
					return nil, 0, err
				}
			}
		}
		return questions(t), o.rows, nil
	case "tpch", "scan":
		if _, err := os.Stat(filepath.Join(dir, "customer.parquet")); err != nil {
			if err := generateTPCH(dir, o.scale); err != nil {
				return nil, 0, err
			}
		}
		if o.suite == "scan" {
			if _, err := os.Stat(filepath.Join(dir, ofDuckDB)); err != nil && o.peers != "" {
				p, err := startPeer("duckdb", "copy", o.peers, dir)
				if err != nil {
					return nil, 0, err
				}
				p.stop()
			}
			return scanQuestions(dir)
		}
		t, err := tpchTables(dir)
		if err != nil {
			return nil, 0, err
		}
		q := map[string]*frame.Query{}
		for name, f := range t {
			q[name] = f.Query()
		}
		return tpchQuestions(q), t["lineitem"].Rows(), nil
	}
	return nil, 0, fmt.Errorf("there is no suite %q", o.suite)
}

func run(o options) error {
	if o.device != "" {
		return onDevice(o)
	}
	ctx := context.Background()
	dir := o.data
	if dir == "" || o.suite == "h2o" {
		var err error
		if dir, err = os.MkdirTemp("", "columns"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	list, rows, err := o.prepare(dir)
	if err != nil {
		return err
	}
	var others []*peer
	if o.peers != "" {
		for _, name := range []string{"duckdb", "polars"} {
			p, err := startPeer(name, o.suite, o.peers, dir)
			if err != nil {
				return err
			}
			defer p.stop()
			others = append(others, p)
		}
	}
	o.printHead(rows, others)
	return o.compare(ctx, list, others)
}

// printHead prints what is measured, and the names of the columns.
func (o *options) printHead(rows int, others []*peer) {
	what := "time"
	if o.cpu {
		what = "time of all processors"
	}
	fmt.Printf("%d rows, %d processors, %s, best of %d\n%-28s %9s", rows, runtime.GOMAXPROCS(0), what, o.turns, "question", "frame")
	for _, p := range others {
		fmt.Printf(" %9s", p.name)
	}
	fmt.Print("   ratio to the faster")
	if o.memory {
		fmt.Print("   peak memory of each")
	}
	fmt.Println()
}

// compare prints a line for each question that was asked for, and the mean of all.
func (o *options) compare(ctx context.Context, list []question, others []*peer) error {
	logs, asked := 0.0, 0
	for _, q := range list {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), q.name) {
			continue
		}
		best, err := o.times(ctx, q, others)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
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
		debug.FreeOSMemory()
		if o.memory {
			if err := tellMemory(ctx, q, others); err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
			debug.FreeOSMemory()
		}
		fmt.Println()
	}
	if asked > 0 {
		fmt.Printf("geometric mean of the ratios: %.2f (above 1: frame is faster)\n", math.Exp(logs/float64(asked)))
	}
	return nil
}

// times are the shortest times of a question, by frame and by the others, whose answers must be the same.
func (o *options) times(ctx context.Context, q question, others []*peer) ([]time.Duration, error) {
	best := make([]time.Duration, 1+len(others))
	for range o.turns {
		want, err := o.answer(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range best {
			a := want
			if i > 0 {
				if a, err = others[i-1].ask(q.name); err != nil {
					return nil, fmt.Errorf("%s: %w", others[i-1].name, err)
				}
				if d := differs(want, a); d != "" && a.time > 0 {
					return nil, fmt.Errorf("%s answers otherwise: %s", others[i-1].name, d)
				}
			}
			t := a.time
			if o.cpu {
				t = a.busy
			}
			if best[i] == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	return best, nil
}

// answer is frame's answer to a question.
func (o *options) answer(ctx context.Context, q question) (answer, error) {
	runtime.GC()
	start, used := time.Now(), processTime()
	r, err := q.query.Run(ctx, frame.Options{})
	if err != nil {
		return answer{}, err
	}
	a := answer{time: time.Since(start), busy: processTime() - used, rows: r.Frame.Rows(), sums: sums(r.Frame, q.checked)}
	if o.scale == 1 && o.suite == "tpch" {
		if d := differsFromAnswers(q.name, a); d != "" {
			return a, fmt.Errorf("not the answer of the generator's authors: %s", d)
		}
	}
	if o.explain {
		fmt.Print(r)
	}
	return a, nil
}

// tellMemory asks a question once more, and prints the most memory that each process has meanwhile.
func tellMemory(ctx context.Context, q question, others []*peer) error {
	asks := []func() error{func() error { _, err := q.query.Run(ctx, frame.Options{}); return err }}
	pids := []int{os.Getpid()}
	for _, p := range others {
		asks, pids = append(asks, func() error { _, err := p.ask(q.name); return err }), append(pids, p.cmd.Process.Pid)
	}
	for i, ask := range asks {
		if err := errors.Join(forgetPeak(pids[i]), ask()); err != nil {
			return err
		}
		most, err := peak(pids[i])
		if err != nil {
			return err
		}
		fmt.Printf(" %8.0f MB", float64(most)/1e6)
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

// answer is a result with its time.
type answer struct {
	time time.Duration
	busy time.Duration // of all processors
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

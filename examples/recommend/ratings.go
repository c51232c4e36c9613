package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// ratings are triples: user u has given film i so many stars.
type ratings struct {
	users, films []int32
	stars        []float32
	expected     []float32 // the means of the generator's draws; nil for real ones
	n, m         int       // users, films
}

// generate draws ratings with the shape of MovieLens' million: 6,040 users, 3,706 films, of which few are seen by many, and 1 to 5 stars.
//
// A user and a film have an inclination each and 8 hidden tastes t_u, t_i, all normally distributed; the stars are
//
//	3.6 + b_u + b_i + t_u · t_i + noise of deviation 0.8,  rounded and kept within 1 to 5
func generate(n, m, count int) *ratings {
	const tastes = 8
	random := rand.New(rand.NewPCG(3, 5))
	hidden := func(rows int, deviation float64) []float64 { // and an inclination as the last
		h := make([]float64, rows*(tastes+1))
		for i := range h {
			h[i] = random.NormFloat64() * deviation
		}
		return h
	}
	u, f := hidden(n, 0.45), hidden(m, 0.45)
	popular := make([]float64, m) // the sums of Zipf's weights
	for i := range popular {
		popular[i] = 1 / math.Pow(float64(i+12), 0.9)
		if i > 0 {
			popular[i] += popular[i-1]
		}
	}
	r := &ratings{n: n, m: m}
	seen := map[int64]bool{}
	for len(r.stars) < count {
		user := int(float64(n) * math.Pow(random.Float64(), 1.7)) // some rate more than others
		at, film, top := random.Float64()*popular[m-1], 0, m-1
		for film < top {
			if mid := (film + top) / 2; popular[mid] < at {
				film = mid + 1
			} else {
				top = mid
			}
		}
		key := int64(user)*int64(m) + int64(film)
		if seen[key] {
			continue
		}
		seen[key] = true
		a, b := u[user*(tastes+1):][:tastes+1], f[film*(tastes+1):][:tastes+1]
		mean := 3.6 + a[tastes] + b[tastes]
		for t := range tastes {
			mean += a[t] * b[t]
		}
		r.add(user, film, math.Round(min(max(mean+0.8*random.NormFloat64(), 1), 5)))
		r.expected = append(r.expected, float32(min(max(mean, 1), 5)))
	}
	return r
}

func (r *ratings) add(user, film int, stars float64) {
	r.users, r.films, r.stars = append(r.users, int32(user)), append(r.films, int32(film)), append(r.stars, float32(stars))
}

// read reads ratings as MovieLens has them, a line each: user, film and stars, between tabs, commas or "::", and more that is not read.
func read(file string) (*ratings, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &ratings{}
	users, films := map[string]int{}, map[string]int{}
	number := func(known map[string]int, name string) int {
		if _, ok := known[name]; !ok {
			known[name] = len(known)
		}
		return known[name]
	}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.FieldsFunc(lines.Text(), func(c rune) bool { return strings.ContainsRune("\t,:; ", c) })
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s:%d: not a user, a film and stars", file, n)
		}
		stars, err := strconv.ParseFloat(fields[2], 64)
		if err != nil && n == 1 { // a header
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if !(stars >= 0 && stars <= 100) {
			return nil, fmt.Errorf("%s:%d: %s is no number of stars, 0 to 100", file, n, fields[2])
		}
		r.add(number(users, fields[0]), number(films, fields[1]), stars)
	}
	r.n, r.m = len(users), len(films)
	if lines.Err() == nil && len(r.stars) < 20 {
		return nil, fmt.Errorf("%s: %d ratings are too few", file, len(r.stars))
	}
	return r, lines.Err()
}

// split keeps every tenth rating for the test, in an order by chance.
func (r *ratings) split() (learn, test []int) {
	for k, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(r.stars)) {
		if k%10 == 0 {
			test = append(test, i)
		} else {
			learn = append(learn, i)
		}
	}
	return learn, test
}

// by sorts some of the ratings by rows, users or films.
func (r *ratings) by(rows, columns []int32, n int, some []int, mean float32) *table {
	t := &table{starts: make([]int32, n+1), others: make([]int32, len(some)), values: make([]float32, len(some))}
	for _, i := range some {
		t.starts[rows[i]+1]++
	}
	for i := range n {
		t.starts[i+1] += t.starts[i]
	}
	next := append([]int32{}, t.starts...)
	for _, i := range some {
		at := next[rows[i]]
		next[rows[i]]++
		t.others[at], t.values[at] = columns[i], r.stars[i]-mean
	}
	return t
}

// table is ratings in the order of their users, or of their films: those of row u are starts[u] to starts[u+1].
type table struct {
	starts, others []int32
	values         []float32 // less the mean of all
}

// nodes are the table as variables, which stay on the device.
func (t *table) nodes(g *ops.Graph, name string) []*ops.Node {
	return []*ops.Node{
		g.Variable(name+".starts", tensor.Must(tensor.FromSlice(t.starts))),
		g.Variable(name+".others", tensor.Must(tensor.FromSlice(t.others))),
		g.Variable(name+".values", tensor.Must(tensor.FromSlice(t.values))),
	}
}

// load reads the file of ratings, or draws some where there is none.
func load(o options) (*ratings, error) {
	if o.file != "" {
		return read(o.file)
	}
	side := math.Sqrt(float64(o.count) / 1e6)
	return generate(int(6040*side), int(3706*side), o.count), nil
}

// question is pairs of users and films, and the stars, less the mean of all, that are to be guessed.
type question struct {
	users, films []int32
	stars        []float32
}

// ask makes questions of some of the ratings.
func (r *ratings) ask(some []int, mean float32) (q question) {
	for _, i := range some {
		q.users, q.films, q.stars = append(q.users, r.users[i]), append(q.films, r.films[i]), append(q.stars, r.stars[i]-mean)
	}
	return q
}

func (q question) nodes(g *ops.Graph) []*ops.Node {
	return []*ops.Node{
		g.Variable("test.users", tensor.Must(tensor.FromSlice(q.users))),
		g.Variable("test.films", tensor.Must(tensor.FromSlice(q.films))),
		g.Variable("test.stars", tensor.Must(tensor.FromSlice(q.stars))),
	}
}

// begin are random factors [n, 16].
func begin(n int) []float32 {
	first, random := make([]float32, n*factors), rand.New(rand.NewPCG(7, 7))
	for i := range first {
		first[i] = float32(random.NormFloat64()) / 4
	}
	return first
}

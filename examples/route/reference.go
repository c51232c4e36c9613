package main

import (
	"container/heap"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// prove compares the lengths from all cells to some ends with Dijkstra's, and adds up the steps of all ways.
func (m *terrain) prove(p *gallery.Program, t trips, a *answer, ways [][]int32, some int) error {
	n := len(t.ends)
	start := time.Now()
	wrong := 0
	for q, end := range t.ends[:some] {
		for cell, length := range m.dijkstra(end) {
			if a.lengths[cell*n+q] != length {
				wrong++
			}
		}
	}
	took := time.Since(start).Seconds() / float64(some)
	p.Check(wrong == 0, "the lengths to %d ends from all %d cells are those of Dijkstra's algorithm, which takes %s an end in plain Go on one core",
		some, len(m.cost), gallery.Seconds(took))
	broken := 0
	for q, way := range ways {
		length := int32(0)
		for i := 1; i < len(way); i++ {
			for _, step := range m.around() {
				if int(way[i-1])+step[0] == int(way[i]) {
					length += int32(step[1]) * (m.cost[way[i-1]] + m.cost[way[i]])
				}
			}
		}
		if want := a.lengths[int(t.starts[q])*n+q]; want < far && (len(way) == 0 || way[len(way)-1] != t.ends[q] || length != want) {
			broken++
		}
	}
	p.Check(broken == 0, "each way ends where it should, and its steps add up to its length")
	return nil
}

// queue is a heap of cells, that with the shortest way first.
type queue [][2]int32

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool { return q[i][0] < q[j][0] }

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.([2]int32)) }

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// dijkstra is the reference: the lengths of the shortest ways from every cell to the end. Dijkstra, A Note on Two Problems in
// Connexion with Graphs (1959).
func (m *terrain) dijkstra(end int32) []int32 {
	d := make([]int32, len(m.cost))
	for i := range d {
		d[i] = far
	}
	d[end] = 0
	q := &queue{{0, end}}
	for q.Len() > 0 {
		top := heap.Pop(q).([2]int32)
		cell := int(top[1])
		if top[0] > d[cell] {
			continue
		}
		for _, a := range m.around() {
			to := cell + a[0]
			if length := top[0] + int32(a[1])*(m.cost[cell]+m.cost[to]); m.cost[to] != 0 && length < d[to] {
				d[to] = length
				heap.Push(q, [2]int32{length, int32(to)})
			}
		}
	}
	return d
}

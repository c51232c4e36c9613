package main

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

const side = 256 // of the picture that the network sees

// face is a face, in parts of the picture's width and height.
type face struct {
	score          float64
	x0, y0, x1, y1 float64
	points         [6][2]float64 // the eyes, the nose, the mouth, and beside the ears; the left one first
}

// seen is a picture as the network sees it: [1, side, side, 3], red, green and blue from -1 to 1.
func seen(photo image.Image) *tensor.Tensor {
	small := photos.Resized(photo, photo.Bounds(), side, side)
	return tensor.Must(tensor.FromSlice(photos.Scaled(small, false, [3]float32{2, 2, 2}, [3]float32{-1, -1, -1}), 1, side, side, 3))
}

// found are the faces above a threshold: for each, the mean of all anchors that overlap the best, weighted by their scores.
func found(out map[string]*tensor.Tensor, threshold float64) (faces []face) {
	var all []face
	for _, grid := range []struct {
		scores, boxes   string
		cells, perPlace int
	}{{"Identity:0", "Identity_2:0", 16, 2}, {"Identity_1:0", "Identity_3:0", 8, 6}} {
		scores, boxes := out[grid.scores], out[grid.boxes]
		for i := range scores.Len() {
			s := 1 / (1 + math.Exp(-scores.Float64At(i)))
			if s < threshold {
				continue
			}
			place := i / grid.perPlace
			cx, cy := (float64(place%grid.cells)+0.5)/float64(grid.cells), (float64(place/grid.cells)+0.5)/float64(grid.cells)
			at := func(k int) float64 { return boxes.Float64At(16*i+k) / side }
			f := face{score: s, x0: cx + at(0) - at(2)/2, y0: cy + at(1) - at(3)/2, x1: cx + at(0) + at(2)/2, y1: cy + at(1) + at(3)/2}
			for k := range f.points {
				f.points[k] = [2]float64{cx + at(4+2*k), cy + at(5+2*k)}
			}
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b face) int { return cmp.Compare(b.score, a.score) })
	for len(all) > 0 {
		best := all[0]
		mean, sum := face{score: best.score}, 0.0
		all = slices.DeleteFunc(all, func(f face) bool {
			if overlap(best, f) < 0.3 {
				return false
			}
			mean.add(f, f.score)
			sum += f.score
			return true
		})
		if sum == 0 { // a box without area overlaps nothing
			all = all[1:]
			continue
		}
		mean.scale(1 / sum)
		faces = append(faces, mean)
	}
	return faces
}

func (f *face) add(g face, weight float64) {
	f.x0, f.y0, f.x1, f.y1 = f.x0+weight*g.x0, f.y0+weight*g.y0, f.x1+weight*g.x1, f.y1+weight*g.y1
	for i, p := range g.points {
		f.points[i][0] += weight * p[0]
		f.points[i][1] += weight * p[1]
	}
}

func (f *face) scale(by float64) {
	g := *f
	*f = face{score: g.score}
	f.add(g, by)
}

// overlap is the area that two boxes share, divided by the area that they cover.
func overlap(a, b face) float64 {
	shared := max(0, min(a.x1, b.x1)-max(a.x0, b.x0)) * max(0, min(a.y1, b.y1)-max(a.y0, b.y0))
	covered := (a.x1-a.x0)*(a.y1-a.y0) + (b.x1-b.x0)*(b.y1-b.y0) - shared
	if covered <= 0 {
		return 0
	}
	return shared / covered
}

// alike reports whether the faces are the same, within a thousandth of the picture.
func alike(a, b []face) bool {
	return slices.EqualFunc(a, b, func(f, g face) bool {
		return max(math.Abs(f.x0-g.x0), math.Abs(f.y0-g.y0), math.Abs(f.x1-g.x1), math.Abs(f.y1-g.y1)) < 1e-3
	})
}

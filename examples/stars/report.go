package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/cluster"
	"github.com/anycl/anycl/tensor"
)

// clusters are open clusters and associations at their right ascensions and declinations (J2000, degrees), as SIMBAD has them.
var clusters = []struct {
	name    string
	ra, dec float64
}{
	{"Pleiades, M45", 56.75, 24.12}, {"IC 2602, Southern Pleiades", 160.74, -64.40}, {"M7, Ptolemy's cluster", 268.46, -34.79},
	{"NGC 2516", 119.52, -60.75}, {"NGC 2547", 122.53, -49.20}, {"Orion's belt, Collinder 70", 83.9, -1.1}, {"Hyades", 66.75, 15.87},
	{"Praesepe, M44", 130.05, 19.62}, {"NGC 3766", 174.06, -61.62}, {"NGC 4755, Jewel Box", 193.42, -60.37}, {"NGC 3532", 166.44, -58.75},
	{"IC 2391", 130.07, -53.07}, {"alpha Persei cluster", 51.1, 49.0}, {"h and chi Persei", 34.75, 57.14}, {"Carina nebula", 161.27, -59.68},
}

// clusterAt is the name of a cluster within 1.2 degrees; empty where there is none.
func clusterAt(ra, dec float64) string {
	v := direction(ra, dec)
	for _, c := range clusters {
		if w := direction(c.ra, c.dec); angle(v[:], w[:]) < 1.2 {
			return c.name
		}
	}
	return ""
}

// angle is that between two unit vectors, in degrees.
func angle(a, b []float32) float64 {
	var d2 float64
	for i := range 3 {
		d2 += math.Pow(float64(a[i])-float64(b[i]), 2)
	}
	return 2 * math.Asin(min(1, math.Sqrt(d2)/2)) * 180 / math.Pi
}

// densest are the places of the map with the most stars around them, no two within 3 degrees.
func densest(sky *chart, density []float32, n int) (pixels []int) {
	order := make([]int, len(density))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
	for _, i := range order {
		v := sky.place[3*i : 3*i+3]
		if !slices.ContainsFunc(pixels, func(j int) bool { return angle(v, sky.place[3*j:3*j+3]) < 3 }) {
			pixels = append(pixels, i)
		}
		if len(pixels) == n {
			break
		}
	}
	return pixels
}

func reportDensest(p *gallery.Program, sky *chart, density []float32) (names string) {
	p.Printf("\nthe densest places                RA     Dec  stars/deg2\n")
	for _, i := range densest(sky, density, 12) {
		ra, dec := coordinates(sky.place[3*i : 3*i+3])
		name := clusterAt(ra, dec)
		names += name + "; "
		p.Printf("  %-27s %7.2f %7.2f %10.1f\n", name, ra, dec, density[i])
	}
	return names
}

// reportPairs prints the closest pairs, and whether stars stand closer together than by chance.
func reportPairs(p *gallery.Program, stars *catalogue, apart []float32, other []int32) {
	order := make([]int, len(other))
	var mean float64
	for i := range order {
		order[i] = i
		mean += float64(apart[i]) / float64(len(apart))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(apart[a], apart[b]) })
	p.Printf("\nthe closest pairs                 RA     Dec  apart  magnitudes\n")
	shown := 0
	for _, i := range order {
		if j := int(other[i]); int(other[j]) == i && i < j {
			ra, dec := coordinates(stars.place[3*i : 3*i+3])
			p.Printf("  %35.2f %7.2f %5.1f\"  %.1f and %.1f\n", ra, dec, float64(apart[i])*180/math.Pi*3600, stars.magnitude[i], stars.magnitude[j])
			if shown++; shown == 5 {
				break
			}
		}
	}
	// Where n points lie by chance, the mean distance to the nearest is 1/2 sqrt(area / n) (Clark and Evans,
	// Distance to Nearest Neighbor as a Measure of Spatial Relationships in Populations, 1954).
	chance := math.Sqrt(4*math.Pi/float64(len(apart))) / 2
	p.Printf("the nearest star is %.3f degrees away on average, %.3f of what chance gives\n", mean*180/math.Pi, mean/chance)
}

// report prints the results, checks them, and paints the map.
func report(
	ctx context.Context, p *gallery.Program, rt *ops.Runtime, o options, stars *catalogue, sky *chart, maps, pairs, charts gallery.Tensors,
) error {
	density := tensor.MustSlice[float32](maps[0].Value[0])
	names := reportDensest(p, sky, density)
	reportPairs(p, stars, tensor.MustSlice[float32](pairs[0].Value[0]), tensor.MustSlice[int32](pairs[0].Value[1]))
	sizes := tensor.MustSlice[int64](charts[0].Value[2])
	p.Printf("the charts have %d to %d stars, after %.0f iterations\n\n", slices.Min(sizes), slices.Max(sizes),
		charts[0].Value[3].Float64At(0))

	if stars.len() > 100000 && o.neighbours == 16 && o.width >= 1000 {
		known := []string{"Pleiades", "IC 2602", "NGC 3766"}
		found := !slices.ContainsFunc(known, func(c string) bool { return !strings.Contains(names, c) })
		p.Check(found, "%s are among the 12 densest places", strings.Join(known, ", "))
	}
	worst := 0.0
	for i := 0; i < len(density); i += 1 + len(density)/100 {
		exact := float64(o.neighbours-1) / math.Pi * perSquareDegree / farthest(stars.place, sky.place[3*i:3*i+3], o.neighbours)
		worst = max(worst, math.Abs(float64(density[i])/exact-1))
	}
	p.Check(worst < 1e-5, "100 densities are those of all stars compared one by one in float64: %.1e apart", worst)
	for _, r := range charts {
		inertia, exact := r.Value[1].Float64At(0), inertiaOf(stars.place, tensor.MustSlice[float32](r.Value[0]))
		p.Check(math.Abs(inertia/exact-1) < 1e-5, "the squares of distances to the means of %s add up to %.2f, in float64 %.2f", r.Where,
			inertia, exact)
	}
	if len(maps) == 2 {
		cpu := tensor.MustSlice[float32](maps[1].Value[0])
		same := 0.0
		for i, d := range density {
			same = max(same, math.Abs(float64(d/cpu[i])-1))
		}
		p.Check(same < 1e-5, "the maps of %s and the CPU path are the same: %.1e apart", maps[0].Where, same)
	}

	g := ops.NewGraph("parts")
	part := cluster.KMeans(vectors(g, "sky", sky.place), vectors(g, "means", tensor.MustSlice[float32](charts[0].Value[0])), 0).Labels
	parts, err := gallery.AtOnce(ctx, rt, nil, part)
	if err != nil {
		return err
	}
	return p.WritePNG(sky.paint(density, tensor.MustSlice[int64](parts[0]), stars))
}

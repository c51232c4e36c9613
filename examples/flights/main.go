// Flights asks 3,000,000 flights when and where they were late, and learns from the answers which ones will be: a Parquet file is
// filtered, grouped, joined and windowed, and the resulting columns train a model, in one program.
//
//	go run ./examples/fetch flights                     # the table, 18 MB; without it there are 20,000 flights of it
//	go run ./examples/flights [-device gpu] [-late 15] [-out flights.png] [-peer]
//
// The table has all flights within the United States from January to June 2001: when they were to leave, how far they went, from
// where to where, and how many minutes late they arrived. It prints delays by hour and airport, draws those of each day with their
// mean over a week, and tells how well a model sorts the flights of the last weeks that has seen the weeks before.
package main

import (
	"context"
	_ "embed"
	"time"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// options are the settings of the command line.
type options struct{ late, steps int }

func main() {
	var o options
	gallery.Int(&o.late, "late", 15, -1000, 1000, "minutes after which a flight is late")
	gallery.Int(&o.steps, "steps", 5, 1, 100, "steps of Newton's method for the model")
	gallery.Main("flights", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

//go:embed peer.py
var peer string

func run(ctx context.Context, p *gallery.Program, o options) error {
	t, err := open(p)
	if err != nil {
		return err
	}
	defer t.close()
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	hours, err := t.ask(ctx, p, "by the hour of departure", t.query().
		GroupBy(frame.Col("date").Hour().As("hour")).
		Agg(frame.Rows().As("flights"), frame.Mean("delay").As("mean"), frame.Median("delay").As("median"), share(o.late)).
		Sort("hour"), 24)
	if err != nil {
		return err
	}
	if err := t.checkHours(ctx, p, hours); err != nil {
		return err
	}
	places, err := t.ask(ctx, p, "by airport, of those with 1 in 500 flights or more", t.query().
		GroupBy("origin").
		Agg(frame.Rows().As("flights"), frame.Mean("delay").As("mean"), share(o.late)).
		Join(t.airports.Query().Select("iata", "city", "state"), frame.Join{LeftOn: []string{"origin"}, RightOn: []string{"iata"}}).
		Filter(frame.Col("flights").Ge(t.rows/500)).
		Sort(frame.Desc("late")), 8)
	if err != nil {
		return err
	}
	p.Check(places.Rows() > 50 && places.Column("city").Nulls() == 0, "every airport has a city: %d of them", places.Rows())
	days, err := t.ask(ctx, p, "day by day, with the mean of a week", t.query().
		GroupBy(frame.Col("date").Truncate("day").As("day")).
		Agg(frame.Rows().As("flights"), frame.Mean("delay").As("mean")).
		Filter(frame.Col("flights").Ge(t.rows/1000)). // the last day has a few, of its first minute
		Sort("day").
		Window(frame.Over().OrderBy("day"), frame.RollingMean("mean", 7).As("week")), 6)
	if err != nil {
		return err
	}
	if err := draw(p, days); err != nil {
		return err
	}
	return learn(ctx, p, rt, t, o)
}

// share is which part of flights are late.
func share(minutes int) frame.Expr {
	return frame.Mean(frame.Col("delay").Gt(minutes)).As("late")
}

// ask runs a query, and prints its first rows and how long it took.
func (t *table) ask(ctx context.Context, p *gallery.Program, what string, q *frame.Query, rows int) (*frame.Frame, error) {
	start := time.Now()
	f, err := q.Collect(ctx)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	p.Printf("\nDelays %s: %d flights read and asked in %s\n%s", what, t.rows, gallery.Seconds(took.Seconds()), f.Format(rows))
	return f, nil
}

// checkHours compares the query's result for hours with a loop over the rows.
func (t *table) checkHours(ctx context.Context, p *gallery.Program, hours *frame.Frame) error {
	all, err := t.query().Select("date", "delay").Collect(ctx)
	if err != nil {
		return err
	}
	var sums, rows [24]int64
	typ := all.Column("date").Type()
	delays, err := frame.Cast(all.Column("delay"), column.Int64.Of())
	if err != nil {
		return err
	}
	perHour := 3600 * typ.Unit.PerSecond()
	for i, at := range column.Values[int64](all.Column("date")) {
		h := at / perHour % 24
		rows[h]++
		sums[h] += column.Values[int64](delays)[i]
	}
	right, total := true, int64(0)
	for i := range hours.Rows() {
		h := column.Values[int32](hours.Column("hour"))[i]
		n := column.Values[int64](hours.Column("flights"))[i]
		mean := column.Values[float64](hours.Column("mean"))[i]
		right = right && n == rows[h] && near(mean, float64(sums[h])/float64(rows[h]), 1e-12)
		total += n
	}
	p.Check(right && total == int64(t.rows), "hours have the means that a loop over all %d rows computes", total)
	return nil
}

// draw draws the means of days, and of weeks.
func draw(p *gallery.Program, days *frame.Frame) error {
	day, week := curves.Line{Name: "a day"}, curves.Line{Name: "the week that it ends"}
	for i := range days.Rows() {
		x := float64(i + 1)
		day.X, day.Y = append(day.X, x), append(day.Y, column.Values[float64](days.Column("mean"))[i])
		if !days.Column("week").IsNull(i) {
			week.X, week.Y = append(week.X, x), append(week.Y, column.Values[float64](days.Column("week"))[i])
		}
	}
	axes := curves.Axes{Title: "Flights within the United States, 2001", X: "day of the year", Y: "mean delay (minutes)"}
	return p.WriteCurves(axes, false, day, week)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/pingcap/go-tpc/tpch/dbgen"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/integrations/parquet"
)

// TPC-H's tables are those of go-tpc's generator, as far as queries 1, 3, 6 and 12 read them; prices are floats. They are written as
// Parquet, from which all contenders load them. Parameters are go-tpc's, and so are the answers at scale 1.
// Source: TPC Benchmark H, revision 2.18.

// rowsOf collects rows of a generated table and writes them.
type rowsOf[T any] struct {
	w      *parquet.Writer
	f      *os.File
	fields []frame.Field
	b      []*column.Builder
	add    func(b []*column.Builder, item *T)
}

func newRows[T any](path string, fields []frame.Field, add func(b []*column.Builder, item *T)) (*rowsOf[T], error) {
	r := &rowsOf[T]{fields: fields, add: add}
	var err error
	if r.f, err = os.Create(path); err != nil {
		return nil, err
	}
	if r.w, err = parquet.NewWriter(r.f, fields, parquet.WriteOptions{}); err != nil {
		return nil, err
	}
	r.clear()
	return r, nil
}

func (r *rowsOf[T]) clear() {
	r.b = nil
	for _, f := range r.fields {
		r.b = append(r.b, column.NewBuilder(f.Type, 1<<16))
	}
}

// Load takes an item of the generator.
func (r *rowsOf[T]) Load(item any) error {
	v, ok := item.(*T)
	if !ok {
		return fmt.Errorf("an item is %T", item)
	}
	r.add(r.b, v)
	if r.b[0].Len() >= 1<<19 {
		return r.flush()
	}
	return nil
}

// Flush is the generator's, which calls it at the end of a table.
func (r *rowsOf[T]) Flush() error { return nil }

func (r *rowsOf[T]) flush() error {
	var cols []frame.Named
	for i, f := range r.fields {
		cols = append(cols, frame.Named{Name: f.Name, Column: r.b[i].Finish()})
	}
	r.clear()
	f, err := frame.New(cols...)
	if err != nil {
		return err
	}
	return r.w.Write(f)
}

func (r *rowsOf[T]) close() error { return errors.Join(r.flush(), r.w.Close(), r.f.Close()) }

func fields(list ...any) (out []frame.Field) {
	for i := 0; i < len(list); i += 2 {
		out = append(out, frame.Field{Name: list[i].(string), Type: list[i+1].(column.Kind).Of()})
	}
	return out
}

// date appends 2006-01-02.
func date(b *column.Builder, s string) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		b.Null()
		return
	}
	b.Int(t.Unix() / 86400)
}

// generateTPCH writes the tables of a scale into a folder.
func generateTPCH(dir string, scale int) error {
	lines, err := newRows(filepath.Join(dir, "lineitem.parquet"),
		fields("l_orderkey", column.Int64, "l_quantity", column.Float64, "l_extendedprice", column.Float64,
			"l_discount", column.Float64, "l_tax", column.Float64, "l_returnflag", column.String, "l_linestatus", column.String, "l_shipdate",
			column.Date32,
			"l_commitdate", column.Date32, "l_receiptdate", column.Date32, "l_shipmode", column.String), func(b []*column.Builder, o *dbgen.Order) {
			for _, l := range o.Lines {
				b[0].Int(int64(l.OKey))
				b[1].Float(float64(l.Quantity))
				b[2].Float(float64(l.EPrice) / 100)
				b[3].Float(float64(l.Discount) / 100)
				b[4].Float(float64(l.Tax) / 100)
				b[5].Text(string(rune(l.RFlag)))
				b[6].Text(string(rune(l.LStatus)))
				date(b[7], l.SDate)
				date(b[8], l.CDate)
				date(b[9], l.RDate)
				b[10].Text(l.ShipMode)
			}
		})
	if err != nil {
		return err
	}
	orders, err := newRows(filepath.Join(dir, "orders.parquet"),
		fields("o_orderkey", column.Int64, "o_custkey", column.Int64, "o_orderdate", column.Date32,
			"o_orderpriority", column.String, "o_shippriority", column.Int32), func(b []*column.Builder, o *dbgen.Order) {
			b[0].Int(int64(o.OKey))
			b[1].Int(int64(o.CustKey))
			date(b[2], o.Date)
			b[3].Text(o.OrderPriority)
			b[4].Int(o.ShipPriority)
		})
	if err != nil {
		return err
	}
	customers, err := newRows(filepath.Join(dir, "customer.parquet"), fields("c_custkey", column.Int64, "c_mktsegment", column.String),
		func(b []*column.Builder, c *dbgen.Cust) {
			b[0].Int(int64(c.CustKey))
			b[1].Text(c.MktSegment)
		})
	if err != nil {
		return err
	}
	dbgen.InitDbGen(int64(scale))
	loaders := map[dbgen.Table]dbgen.Loader{dbgen.TOrder: orders, dbgen.TLine: lines, dbgen.TCust: customers}
	if err := dbgen.DbGen(loaders, []dbgen.Table{dbgen.TOrderLine, dbgen.TCust}); err != nil {
		return err
	}
	return errors.Join(lines.close(), orders.close(), customers.close())
}

// tpchTables loads the tables.
func tpchTables(dir string) (map[string]*frame.Frame, error) {
	t := map[string]*frame.Frame{}
	for _, name := range []string{"lineitem", "orders", "customer"} {
		f, err := parquet.ReadFile(context.Background(), filepath.Join(dir, name+".parquet"), parquet.Options{})
		if err != nil {
			return nil, err
		}
		t[name] = f
	}
	return t, nil
}

func day(s string) frame.Expr {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return frame.Lit(t).Cast(column.Date32.Of())
}

// tpchQuestions are the queries over tables that were loaded, or over the files.
func tpchQuestions(t map[string]*frame.Query) []question {
	lines, orders, customers := t["lineitem"], t["orders"], t["customer"]
	price, discount := frame.Col("l_extendedprice"), frame.Col("l_discount")
	paid := price.Mul(frame.Lit(1.0).Sub(discount))
	urgent := frame.Col("o_orderpriority").IsIn("1-URGENT", "2-HIGH")
	return []question{
		{"q1", "pricing summary", lines.Filter(frame.Col("l_shipdate").Le(day("1998-08-15"))).GroupBy("l_returnflag", "l_linestatus").Agg(
			frame.Sum("l_quantity").As("sum_qty"), frame.Sum("l_extendedprice").As("sum_base_price"), frame.Sum(paid).As("sum_disc_price"),
			frame.Sum(paid.Mul(frame.Lit(1.0).Add(frame.Col("l_tax")))).As("sum_charge"), frame.Mean("l_quantity").As("avg_qty"),
			frame.Mean("l_extendedprice").As("avg_price"), frame.Mean("l_discount").As("avg_disc"), frame.Rows().As("count_order")).
			Sort("l_returnflag", "l_linestatus"), []string{"sum_qty", "sum_base_price", "sum_disc_price", "sum_charge", "avg_qty", "avg_price",
			"avg_disc", "count_order"}},
		{"q3", "shipping priority", lines.Filter(frame.Col("l_shipdate").Gt(day("1995-03-13"))).
			Join(orders.Filter(frame.Col("o_orderdate").Lt(day("1995-03-13"))).
				Join(customers.Filter(frame.Col("c_mktsegment").Eq("AUTOMOBILE")),
					frame.Join{How: frame.Semi, LeftOn: []string{"o_custkey"}, RightOn: []string{"c_custkey"}}),
				frame.Join{LeftOn: []string{"l_orderkey"}, RightOn: []string{"o_orderkey"}}).
			GroupBy("l_orderkey", "o_orderdate", "o_shippriority").Agg(frame.Sum(paid).As("revenue")).
			TopK(10, frame.Desc("revenue"), "o_orderdate"), []string{"l_orderkey", "revenue", "o_shippriority"}},
		{"q6", "revenue change", lines.Filter(frame.Col("l_shipdate").Ge(day("1994-01-01")).And(frame.Col("l_shipdate").Lt(day("1995-01-01"))).
			And(discount.Ge(0.05)).And(discount.Le(0.07)).And(frame.Col("l_quantity").Lt(24.0))).
			Agg(frame.Sum(price.Mul(discount)).As("revenue")), []string{"revenue"}},
		{"q12", "shipping modes", lines.Filter(frame.Col("l_shipmode").IsIn("RAIL",
			"FOB").And(frame.Col("l_commitdate").Lt(frame.Col("l_receiptdate"))).
			And(frame.Col("l_shipdate").Lt(frame.Col("l_commitdate"))).And(frame.Col("l_receiptdate").Ge(day("1997-01-01"))).And(frame.Col("l_receiptdate").Lt(day("1998-01-01")))).
			Join(orders, frame.Join{LeftOn: []string{"l_orderkey"}, RightOn: []string{"o_orderkey"}}).
			GroupBy("l_shipmode").Agg(frame.Sum(frame.When(urgent).Then(1).Otherwise(0)).As("high_line_count"),
			frame.Sum(frame.When(urgent).Then(0).Otherwise(1)).As("low_line_count")).
			Sort("l_shipmode"), []string{"high_line_count", "low_line_count"}},
	}
}

// tpchSums are the sums of the columns of go-tpc's answers at scale 1 (its folder tpch/output), which are rounded.
var tpchSums = map[string]struct {
	rows int
	sums []float64
}{
	"q1": {4, []float64{37734107.00 + 991417 + 73533166 + 37719753, 56586554400.73 + 1487504710.38 + 110287596362.18 + 56568041380.90,
		53758257134.8700 + 1413082168.0541 + 104774847005.9449 + 53741292684.6040,
		55909065222.827692 + 1469649223.194375 + 108969626230.358561 + 55889619119.831932, 25.522006 + 25.516472 + 25.502145 + 25.505794,
		38273.129735 + 38284.467761 + 38249.003129 + 38250.854626, 0.049985 + 0.050093 + 0.049996 + 0.050009,
		1478493 + 38854 + 2883411 + 1478870}},
	"q3": {10, []float64{4791171 + 4163074 + 4676933 + 3778628 + 2773540 + 2692902 + 181414 + 4178471 + 4739141 + 1310209,
		452497.4729 + 437267.7799 + 412072.0035 + 399682.3516 + 398691.5039 + 394554.8742 + 393083.4426 + 390099.4832 + 385442.5444 + 381336.0532, 0}},
	"q6":  {1, []float64{123141078.2283}},
	"q12": {2, []float64{6335 + 6365, 9242 + 9340}},
}

func differsFromAnswers(name string, a answer) string {
	want := tpchSums[name]
	if a.rows != want.rows {
		return fmt.Sprintf("%d rows and not %d", a.rows, want.rows)
	}
	for i, s := range want.sums {
		if math.Abs(a.sums[i]-s) > 1e-5*max(1, math.Abs(s)) {
			return fmt.Sprintf("sums %v and not %v", a.sums, want.sums)
		}
	}
	return ""
}

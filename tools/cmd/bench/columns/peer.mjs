// Answers the questions of a suite, one name a line, with DuckDB or Polars: {"MS": time, "CPU": that of all processors, "Rows": rows, "Sums": of the columns compared}.
import { createInterface } from 'node:readline';

const [name, data, threads, suite] = process.argv.slice(2);
const say = (v) => console.log(JSON.stringify(v));
const busy = (since) => { const u = process.cpuUsage(since); return (u.user + u.system) / 1e3; };
const tables = ['g', 'x', 'small', 'medium', 'big'];
const checked = { q1: ['v1'], q2: ['v1'], q3: ['v1', 'v3'], q4: ['v1', 'v2', 'v3'], q5: ['v1', 'v2', 'v3'], q6: ['median', 'sd'], q7: ['range'], q8: ['v3'],
  q9: ['r2'], q10: ['v3', 'count'], j1: ['v1', 'v2'], j2: ['v1', 'v2'], j3: ['v1', 'v2'], j4: ['v1', 'v2'], j5: ['v1', 'v2'] };

const priced = ['sum_qty', 'sum_base_price', 'sum_disc_price', 'sum_charge', 'avg_qty', 'avg_price', 'avg_disc', 'count_order'];
const all = ['l_orderkey', 'l_quantity', 'l_extendedprice'];
const checkedOf = {
  h2o: checked,
  tpch: { q1: priced, q3: ['l_orderkey', 'revenue', 'o_shippriority'], q6: ['revenue'], q12: ['high_line_count', 'low_line_count'] },
  scan: { csv: all, parquet: all, duckdb: all, 'csv-q1': priced, 'csv-q6': ['revenue'], 'parquet-q1': priced, 'parquet-q6': ['revenue'],
    'duckdb-q1': priced, 'duckdb-q6': ['revenue'] },
}[suite];

const tpch = (lineitem) => ({
  q1: `select l_returnflag, l_linestatus, sum(l_quantity) sum_qty, sum(l_extendedprice) sum_base_price, sum(l_extendedprice * (1 - l_discount)) sum_disc_price,
    sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) sum_charge, avg(l_quantity) avg_qty, avg(l_extendedprice) avg_price, avg(l_discount) avg_disc, count(*) count_order
    from ${lineitem} where l_shipdate <= date '1998-08-15' group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus`,
  q3: `select l_orderkey, sum(l_extendedprice * (1 - l_discount)) revenue, o_orderdate, o_shippriority from customer, orders, ${lineitem}
    where c_mktsegment = 'AUTOMOBILE' and c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate < date '1995-03-13' and l_shipdate > date '1995-03-13'
    group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, o_orderdate limit 10`,
  q6: `select sum(l_extendedprice * l_discount) revenue from ${lineitem} where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
    and l_discount between 0.05::double and 0.07::double and l_quantity < 24`,
  q12: `select l_shipmode, sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 1 else 0 end) high_line_count,
    sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 0 else 1 end) low_line_count from orders, ${lineitem} where o_orderkey = l_orderkey
    and l_shipmode in ('RAIL', 'FOB') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate
    and l_receiptdate >= date '1997-01-01' and l_receiptdate < date '1998-01-01' group by l_shipmode order by l_shipmode`,
});

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const db = await DuckDBInstance.create(':memory:', { threads });
  const c = await db.connect();
  if (suite === 'tpch') {
    for (const t of ['lineitem', 'orders', 'customer']) await c.run(`create table ${t} as select * from '${data}/${t}.parquet'`);
  }
  for (const t of suite === 'h2o' ? tables : []) {
    const ints = t === 'g' ? ['id4', 'id5', 'id6', 'v1', 'v2'] : ['id1', 'id2', 'id3'];
    await c.run(`create table ${t} as select * from read_csv('${data}/${t}.csv')`);
    const have = (await c.runAndReadAll(`describe ${t}`)).getRows().map((r) => r[0]);
    for (const i of ints) if (have.includes(i)) await c.run(`alter table ${t} alter ${i} type integer`);
  }
  const csv = `'${data}/lineitem.csv'`, parquet = `'${data}/lineitem.parquet'`, own = `'${data}/lineitem-duckdb.parquet'`;
  if (suite === 'copy') await c.run(`copy (select * from ${parquet}) to ${own}`);
  const sql = suite === 'tpch' ? tpch('lineitem') : suite === 'scan' ? {
    csv: `select * from ${csv}`, parquet: `select * from ${parquet}`, duckdb: `select * from ${own}`,
    'duckdb-q1': tpch(own).q1, 'duckdb-q6': tpch(own).q6,
    'csv-q1': tpch(csv).q1, 'csv-q6': tpch(csv).q6, 'parquet-q1': tpch(parquet).q1, 'parquet-q6': tpch(parquet).q6,
  } : {
    q1: 'select id1, sum(v1) v1 from g group by id1',
    q2: 'select id1, id2, sum(v1) v1 from g group by id1, id2',
    q3: 'select id3, sum(v1) v1, avg(v3) v3 from g group by id3',
    q4: 'select id4, avg(v1) v1, avg(v2) v2, avg(v3) v3 from g group by id4',
    q5: 'select id6, sum(v1) v1, sum(v2) v2, sum(v3) v3 from g group by id6',
    q6: 'select id4, id5, median(v3) median, stddev(v3) sd from g group by id4, id5',
    q7: 'select id3, max(v1) - min(v2) as range from g group by id3',
    q8: 'select id6, v3 from (select id6, v3, row_number() over (partition by id6 order by v3 desc) as n from g) where n <= 2',
    q9: 'select id2, id4, pow(corr(v1, v2), 2) r2 from g group by id2, id4',
    q10: 'select id1, id2, id3, id4, id5, id6, sum(v3) v3, count(*) as count from g group by all',
    j1: 'select x.*, r.id4 id4_right, v2 from x join small r using (id1)',
    j2: 'select x.*, r.id1 id1_right, r.id4 id4_right, r.id5 id5_right, v2 from x join medium r using (id2)',
    j3: 'select x.*, r.id1 id1_right, r.id4 id4_right, r.id5 id5_right, v2 from x left join medium r using (id2)',
    j4: 'select x.*, r.id1 id1_right, r.id2 id2_right, r.id4 id4_right, v2 from x join medium r using (id5)',
    j5: 'select x.*, r.id1 id1_right, r.id2 id2_right, r.id4 id4_right, r.id5 id5_right, r.id6 id6_right, v2 from x join big r using (id3)',
  };
  return async (q) => {
    await c.run('drop table if exists answer');
    const start = performance.now(), used = process.cpuUsage();
    await c.run(`create table answer as ${sql[q]}`);
    const ms = performance.now() - start, CPU = busy(used);
    const cols = checkedOf[q].map((n) => `sum(${n})::double`).join(', ');
    const [rows, ...sums] = (await c.runAndReadAll(`select count(*), ${cols} from answer`)).getRows()[0].map(Number);
    return { MS: ms, CPU, Rows: rows, Sums: sums };
  };
}

async function polars() {
  const pl = (await import('nodejs-polars')).default;
  const t = {};
  const day = (s) => pl.lit(new Date(s + 'T00:00:00Z')).cast(pl.Date);
  if (suite !== 'h2o') return polarsTPCH(pl, day);
  for (const n of tables) {
    t[n] = pl.readCSV(`${data}/${n}.csv`);
    const ints = (n === 'g' ? ['id4', 'id5', 'id6', 'v1', 'v2'] : ['id1', 'id2', 'id3']).filter((i) => t[n].columns.includes(i));
    t[n] = t[n].withColumns(...ints.map((i) => pl.col(i).cast(pl.Int32)));
  }
  const { col } = pl;
  const g = () => t.g.lazy();
  const asked = {
    q1: () => g().groupBy('id1').agg(col('v1').sum()),
    q2: () => g().groupBy(['id1', 'id2']).agg(col('v1').sum()),
    q3: () => g().groupBy('id3').agg(col('v1').sum(), col('v3').mean()),
    q4: () => g().groupBy('id4').agg(col('v1').mean(), col('v2').mean(), col('v3').mean()),
    q5: () => g().groupBy('id6').agg(col('v1').sum(), col('v2').sum(), col('v3').sum()),
    q6: () => g().groupBy(['id4', 'id5']).agg(col('v3').median().alias('median'), col('v3').std().alias('sd')),
    q7: () => g().groupBy('id3').agg(col('v1').max().sub(col('v2').min()).alias('range')),
    q10: () => g().groupBy(['id1', 'id2', 'id3', 'id4', 'id5', 'id6']).agg(col('v3').sum(), col('v1').count().alias('count')),
    j1: () => t.x.lazy().join(t.small.lazy(), { on: 'id1', how: 'inner' }),
    j2: () => t.x.lazy().join(t.medium.lazy(), { on: 'id2', how: 'inner' }),
    j3: () => t.x.lazy().join(t.medium.lazy(), { on: 'id2', how: 'left' }),
    j4: () => t.x.lazy().join(t.medium.lazy(), { on: 'id5', how: 'inner' }),
    j5: () => t.x.lazy().join(t.big.lazy(), { on: 'id3', how: 'inner' }),
  };
  return async (q) => {
    if (!asked[q]) return { MS: 0 };
    const start = performance.now(), used = process.cpuUsage();
    const out = await asked[q]().collect();
    const ms = performance.now() - start, CPU = busy(used);
    return { MS: ms, CPU, Rows: out.height, Sums: checkedOf[q].map((n) => Number(out.getColumn(n).cast(pl.Float64).sum())) };
  };
}

async function polarsTPCH(pl, day) {
  const { col, lit, when } = pl;
  const read = Object.fromEntries(['lineitem', 'lineitem-duckdb', 'orders', 'customer'].map((n) => [n, () => pl.scanParquet(`${data}/${n}.parquet`)]));
  const loaded = {};
  if (suite === 'tpch') for (const n of ['lineitem', 'orders', 'customer']) loaded[n] = pl.readParquet(`${data}/${n}.parquet`);
  const get = (n) => (suite === 'tpch' ? loaded[n].lazy() : read[n]());
  const paid = () => col('l_extendedprice').mul(lit(1).sub(col('l_discount')));
  const q1 = (l) => l.filter(col('l_shipdate').lessThanEquals(day('1998-08-15'))).groupBy(['l_returnflag', 'l_linestatus']).agg(
    col('l_quantity').sum().alias('sum_qty'), col('l_extendedprice').sum().alias('sum_base_price'), paid().sum().alias('sum_disc_price'),
    paid().mul(lit(1).add(col('l_tax'))).sum().alias('sum_charge'), col('l_quantity').mean().alias('avg_qty'), col('l_extendedprice').mean().alias('avg_price'),
    col('l_discount').mean().alias('avg_disc'), col('l_tax').count().alias('count_order'));
  const q6 = (l) => l.filter(col('l_shipdate').greaterThanEquals(day('1994-01-01')).and(col('l_shipdate').lessThan(day('1995-01-01')))
    .and(col('l_discount').greaterThanEquals(0.05)).and(col('l_discount').lessThanEquals(0.07)).and(col('l_quantity').lessThan(24)))
    .select(col('l_extendedprice').mul(col('l_discount')).sum().alias('revenue'));
  const csv = () => pl.scanCSV(`${data}/lineitem.csv`, { parseDates: true, tryParseDates: true });
  const asked = suite === 'tpch' ? { q1: () => q1(get('lineitem')).collect(), q6: () => q6(get('lineitem')).collect() } : {
    csv: () => csv().collect(), parquet: () => read.lineitem().collect(), duckdb: () => read['lineitem-duckdb']().collect(),
    'csv-q1': () => q1(csv().withColumn(col('l_shipdate').cast(pl.Date))).collect(), 'csv-q6': () => q6(csv().withColumn(col('l_shipdate').cast(pl.Date))).collect(),
    'parquet-q1': () => q1(read.lineitem()).collect(), 'parquet-q6': () => q6(read.lineitem()).collect(),
    'duckdb-q1': () => q1(read['lineitem-duckdb']()).collect(), 'duckdb-q6': () => q6(read['lineitem-duckdb']()).collect() };
  return async (q) => {
    if (!asked[q]) return { MS: 0 };
    const start = performance.now(), used = process.cpuUsage();
    const out = await asked[q]();
    const ms = performance.now() - start, CPU = busy(used);
    return { MS: ms, CPU, Rows: out.height, Sums: checkedOf[q].map((n) => Number(out.getColumn(n).cast(pl.Float64).sum())) };
  };
}

const answer = await (name === 'duckdb' ? duckdb() : polars());
say({ MS: 0 });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    say(await answer(line));
  } catch (e) {
    say({ Error: String(e) });
  }
}

// Answers the questions of db-benchmark, one name a line, with DuckDB or Polars: {"MS": time, "Rows": rows, "Sums": of the columns compared}.
import { createInterface } from 'node:readline';

const [name, data, threads] = process.argv.slice(2);
const say = (v) => console.log(JSON.stringify(v));
const tables = ['g', 'x', 'small', 'medium', 'big'];
const checked = { q1: ['v1'], q2: ['v1'], q3: ['v1', 'v3'], q4: ['v1', 'v2', 'v3'], q5: ['v1', 'v2', 'v3'], q6: ['median', 'sd'], q7: ['range'], q8: ['v3'],
  q9: ['r2'], q10: ['v3', 'count'], j1: ['v1', 'v2'], j2: ['v1', 'v2'], j3: ['v1', 'v2'], j4: ['v1', 'v2'], j5: ['v1', 'v2'] };

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const db = await DuckDBInstance.create(':memory:', { threads });
  const c = await db.connect();
  for (const t of tables) {
    const ints = t === 'g' ? ['id4', 'id5', 'id6', 'v1', 'v2'] : ['id1', 'id2', 'id3'];
    await c.run(`create table ${t} as select * from read_csv('${data}/${t}.csv')`);
    const have = (await c.runAndReadAll(`describe ${t}`)).getRows().map((r) => r[0]);
    for (const i of ints) if (have.includes(i)) await c.run(`alter table ${t} alter ${i} type integer`);
  }
  const sql = {
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
    const start = performance.now();
    await c.run(`create table answer as ${sql[q]}`);
    const ms = performance.now() - start;
    const cols = checked[q].map((n) => `sum(${n})::double`).join(', ');
    const [rows, ...sums] = (await c.runAndReadAll(`select count(*), ${cols} from answer`)).getRows()[0].map(Number);
    return { MS: ms, Rows: rows, Sums: sums };
  };
}

async function polars() {
  const pl = (await import('nodejs-polars')).default;
  const t = {};
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
    const start = performance.now();
    const out = await asked[q]().collect();
    const ms = performance.now() - start;
    return { MS: ms, Rows: out.height, Sums: checked[q].map((n) => Number(out.getColumn(n).cast(pl.Float64).sum())) };
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

// Answers queries, one as a line of JSON, with {"Rows": [[value, ...], ...]}, values as text and null.
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

const db = await DuckDBInstance.create(':memory:', { threads: '1' });
const c = await db.connect();
const text = (v) => (v === null ? null : Object.is(v, -0) ? '0' : String(v));
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const rows = (await c.runAndReadAll(JSON.parse(line))).getRows();
    console.log(JSON.stringify({ Rows: rows.map((r) => r.map(text)) }));
  } catch (e) {
    console.log(JSON.stringify({ Error: String(e) }));
  }
}

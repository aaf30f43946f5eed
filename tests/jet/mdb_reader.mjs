// Prints every table of an Access file as mdb-reader reads it: one JSON object with rows by table.
import { readFileSync } from "node:fs";
import MDBReader from "mdb-reader";

const plain = (value) => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString().slice(0, 23);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "bigint" ? value.toString() : value;
};

const reader = new MDBReader(readFileSync(process.argv[2]));
const tables = {};
for (const name of reader.getTableNames()) {
  tables[name] = reader
    .getTable(name)
    .getData()
    .map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])));
}
process.stdout.write(JSON.stringify(tables));

/** Readers of the downloads that share no code with what wrote them. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { python } from '../support/python.ts'

/** Where DuckDB's package lies: `.ci/run` installs it beside the project, since it brings a library for one platform. */
const duckdbFolder = process.env['FUNDPRESS_TEST_DUCKDB'] ?? ''
export const hasDuckdb = existsSync(join(duckdbFolder, 'node_modules/@duckdb/node-api'))

interface Connection {
  readonly runAndReadAll: (sql: string) => Promise<{ readonly getRowsJson: () => unknown[][] }>
}
interface Duckdb {
  readonly DuckDBInstance: { readonly create: () => Promise<{ readonly connect: () => Promise<Connection> }> }
}

let connection: Promise<Connection> | undefined

/** Rows of a query; decimals and whole numbers of 64 bits come as texts. */
export async function duckdb(sql: string): Promise<unknown[][]> {
  connection ??= (
    createRequire(join(duckdbFolder, 'package.json'))('@duckdb/node-api') as Duckdb
  ).DuckDBInstance.create().then((instance) => instance.connect())
  return (await (await connection).runAndReadAll(sql)).getRowsJson()
}

/** Every field as text, the header first. Several files at a time: to start Python takes longer than to read most of them. Fields of files for Excel have semicolons. */
export const readCsvs = (folder: string, names: readonly string[]): Readonly<Record<string, string[][]>> =>
  python(
    `import csv, json, sys
csv.field_size_limit(1 << 30)
def rows(name):
    excel = name.startswith("csv-excel/")
    with open(sys.argv[1] + "/" + name, newline="", encoding="utf-8-sig" if excel else "utf-8") as file:
        return list(csv.reader(file, delimiter=";" if excel else ",", strict=True))
print(json.dumps({name: rows(name) for name in sys.argv[2:]}))`,
    folder,
    ...names,
  )

export const readCsv = (folder: string, name: string): string[][] => readCsvs(folder, [name])[name] ?? []

/** The rows of each query. */
export const readSqlite = (file: string, ...queries: readonly string[]): unknown[][][] =>
  python(
    `import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(json.dumps([db.execute(sql).fetchall() for sql in sys.argv[2:]]))`,
    file,
    ...queries,
  )

/** Every row, by its columns' names; decimals as doubles. */
export const readParquet = async (file: string) =>
  parquetReadObjects({
    file: await asyncBufferFromFile(file),
    compressors: { GZIP: (input: Uint8Array) => gunzipSync(input) },
  })

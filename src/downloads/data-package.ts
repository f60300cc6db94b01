/**
 * `datapackage.json`: describes the files for programs. Source: Data Package 2.0 (datapackage.org), with the names of
 * Frictionless 1.0 beside them, which its tools still read.
 */

import type { WrittenFile } from './file-sink.ts'
import type { DownloadFormat, Piece } from './formats/format.ts'

/** What may be done with the data, in the words of the settings; its name is `CC-BY-4.0` for example. */
export interface Licence {
  readonly name: string
  readonly url: string | null
}

/** A file with what the registry says of it. */
export interface DescribedFile extends WrittenFile {
  readonly format: DownloadFormat
  readonly piece: Piece
}

export interface PackageFacts {
  /** ISO 8601 */
  readonly asOf: string
  readonly licence: Licence | null
}

/** @param files all others, in the order of their paths @param facts with whether texts in plain CSV stay as they are */
export function dataPackage(
  files: readonly DescribedFile[],
  { asOf, licence, isRawCsv }: PackageFacts & { readonly isRawCsv: boolean },
): unknown {
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    profile: 'data-package',
    name: 'fund-data',
    title: `Fund data as of ${asOf}`,
    description: about(isRawCsv),
    version: asOf,
    created: `${asOf}T00:00:00Z`,
    ...(licence === null ? {} : { licenses: [licenceOf(licence)] }),
    resources: files.filter(({ format }) => format.perFund === undefined).map(resource),
    ...perFund(files),
  }
}

const about = (isRawCsv: boolean) =>
  'Prices, performance, structures, allocations, key figures, profiles and EMT data of funds. CSV is RFC 4180 in UTF-8 with ' +
  `decimal points and ISO dates${isRawCsv ? '' : ', and with an apostrophe before a text that a spreadsheet would run as a formula'}; ` +
  'the files in csv-excel/ are the same for a German Excel (byte order mark, semicolons, ' +
  'decimal commas; an apostrophe before a text that it would take for a formula, a day or a number). Parquet and SQLite hold the same tables with types.'

const licenceOf = ({ name, url }: Licence) => ({ name, ...(url === null ? {} : { path: url, title: name }) })

const resource = ({ path, bytes, sha256, format, piece }: DescribedFile): unknown => ({
  name: path.toLowerCase().replace(/[^a-z0-9._-]/g, '-'),
  path,
  description: piece.describe.en,
  format: format.name,
  mediatype: format.mediatype,
  bytes,
  hash: `sha256:${sha256}`,
  ...piece.resource,
})

function perFund(files: readonly DescribedFile[]): Readonly<Record<string, unknown>> {
  const members = [...Map.groupBy(files, ({ format }) => format)].flatMap(([{ perFund: about }, some]) =>
    Object.entries(about?.resource(new Set(some.map(({ piece }) => piece.name)).size) ?? {}),
  )
  return Object.fromEntries(members)
}

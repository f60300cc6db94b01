/**
 * `datapackage.json`: describes the files for programs. Source: Data Package 2.0 (datapackage.org), with the names of
 * Frictionless 1.0 beside them, which its tools still read.
 */

import type { Licence, Publisher } from '../../core/api/contract/page.ts'
import type { WrittenFile } from '../../core/snapshot/file-sink.ts'
import type { DownloadFormat, Piece } from './formats/format.ts'

export interface DescribedFile extends WrittenFile {
  readonly format: DownloadFormat
  readonly piece: Piece
}

export interface PackageFacts {
  readonly asOf: string
  readonly licence: Licence | null
  readonly publisher: Publisher | null
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
}

/** @param files all others, in the order of their paths @param facts `isRawCsv`: texts in plain CSV stay as they are */
export function dataPackage(
  files: readonly DescribedFile[],
  facts: PackageFacts & Readonly<{ snapshot: string; isRawCsv: boolean }>,
): unknown {
  const { asOf, snapshot, licence, publisher, baseUrl, isRawCsv } = facts
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    profile: 'data-package',
    name: 'fund-data',
    title: `Fund data as of ${asOf}`,
    description: about(isRawCsv),
    homepage: `${baseUrl}/downloads/latest/`,
    version: asOf,
    snapshot,
    created: `${asOf}T00:00:00Z`,
    ...(licence === null ? {} : { licenses: [licenceOf(licence)] }),
    sources: [sourceOf(publisher, baseUrl)],
    resources: files.filter(({ format }) => format.inPackage === undefined).map(resource),
    ...instead(files),
  }
}

const about = (isRawCsv: boolean) =>
  'Prices, performance, investment structures, asset allocations, key figures, profiles and EMT data of funds. CSV is RFC 4180 in ' +
  `UTF-8 with decimal points and ISO 8601 dates${isRawCsv ? '' : ', and with an apostrophe before a text that a spreadsheet would run as a formula'}. ` +
  'Parquet and SQLite contain the same tables with types: amounts are doubles there; in prices-exact.parquet they are decimals. ' +
  'fundsxml.xml and openfunds.csv have funds, newest prices, distributions and documents in formats of the fund industry.'

const licenceOf = ({ name, url }: Licence) => ({ name, ...(url === null ? {} : { path: url, title: name }) })

export const publisherName = (publisher: Publisher | null): string => publisher?.name ?? 'Fund data API'

/** Where the data are from. The standard asks for a title. */
const sourceOf = (publisher: Publisher | null, baseUrl: string) => ({
  title: publisherName(publisher),
  path: `${baseUrl}/`,
  ...(publisher?.contact ? { email: publisher.contact } : {}),
})

const resource = ({ path, bytes, sha256, format, piece }: DescribedFile): unknown => ({
  name: path.toLowerCase().replace(/[^a-z0-9._-]/g, '-'),
  path,
  description: `${piece.describe.en} (${format.label.en})`,
  format: format.name,
  mediatype: format.mediatype,
  bytes,
  hash: `sha256:${sha256}`,
  ...piece.resource,
})

/** The members that some formats have instead of resources. */
function instead(files: readonly DescribedFile[]): Readonly<Record<string, unknown>> {
  const members = [...Map.groupBy(files, ({ format }) => format)].flatMap(([{ inPackage }, some]) =>
    Object.entries(inPackage?.(some.map((file) => ({ ...file, piece: file.piece.name }))) ?? {}),
  )
  return Object.fromEntries(members)
}

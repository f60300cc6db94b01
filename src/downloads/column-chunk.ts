/** A column of a row group in a Parquet file: one page of values, behind a dictionary where there is one. */

import type { ColumnChunk, SchemaElement } from 'hyparquet'
import { ByteWriter, type Writer } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import { codec, compress } from './parquet-codec.ts'

/** The values of a column, in Parquet's bytes. */
export interface Encoded {
  /** NULLs are some, too. */
  readonly rows: number
  readonly nulls: number
  /** A 1 for each value, a 0 for each NULL; null of a column that has none. */
  readonly levels: Uint8Array | null
  /** The values, or their numbers in the dictionary. */
  readonly page: Uint8Array
  /** The values that the page has numbers of, in the plain encoding, or null. */
  readonly dictionary: { readonly count: number; readonly bytes: Uint8Array } | null
  /** The smallest and the largest value, or null: nobody looks for them. */
  readonly bounds: { readonly first: number | string; readonly last: number | string } | null
}

/** Writes it. @returns what the footer says of it */
export function writeChunk(
  to: Writer,
  { type, name }: SchemaElement,
  { rows, nulls, levels, page, dictionary, bounds }: Encoded,
): ColumnChunk {
  if (type === undefined) throw new Error(`column ${name} has no type`)
  const start = to.offset
  let spared = 0
  if (dictionary !== null) {
    const packed = compress(dictionary.bytes)
    writePageHeader(to, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: dictionary.bytes.length,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: dictionary.count, encoding: 'PLAIN' },
    })
    to.appendBytes(packed)
    spared += dictionary.bytes.length - packed.length
  }
  const pageStart = to.offset
  const encoding = dictionary === null ? 'PLAIN' : 'RLE_DICTIONARY'
  const presence = new ByteWriter()
  if (levels !== null) writeRleBitPackedHybrid(presence, levels, 1)
  const packed = compress(page)
  writePageHeader(to, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: presence.offset + page.length,
    compressed_page_size: presence.offset + packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: presence.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  })
  to.appendBytes(presence.getBytes())
  to.appendBytes(packed)
  spared += page.length - packed.length
  const bytes = to.offset - start
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: dictionary === null ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [name],
      codec,
      num_values: BigInt(rows),
      total_compressed_size: BigInt(bytes),
      total_uncompressed_size: BigInt(bytes + spared),
      data_page_offset: BigInt(pageStart),
      ...(dictionary === null ? {} : { dictionary_page_offset: BigInt(start) }),
      ...(bounds === null
        ? {}
        : { statistics: { min_value: bounds.first, max_value: bounds.last, null_count: BigInt(nulls) } }),
    },
  }
}

/** The ZIP of the documents: a new one out of the entries of an earlier one. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fileSink } from '../../src/downloads/file-sink.ts'
import { openPreviousZip, zipInto } from '../../src/downloads/zip.ts'
import { tempFolder } from '../support/product.ts'
import { python } from '../support/python.ts'

const folder = tempFolder()

/** More entries than a ZIP without ZIP64 can have. */
const names = Array.from({ length: 70_000 }, (_, index) => `api/${String(index).padStart(6, '0')}.json`)
const contentOf = (name: string) => Buffer.from(`{"name":"${name}"}`)

function write(file: string, day: string, previous?: string): void {
  const sink = fileSink(folder.path, file)
  const zip = zipInto(sink, day)
  const earlier = previous === undefined ? null : openPreviousZip(folder.file(previous))
  for (const name of names) {
    const packed = earlier?.entry(name) ?? null
    if (packed === null) zip.add(name, contentOf(name))
    else zip.copy(name, packed)
  }
  earlier?.close()
  zip.end()
  sink.close()
}

it('copies entries to the bytes that packing them gives, with the date of the new one', () => {
  write('one.zip', '2024-05-03')
  write('other.zip', '2024-05-04')
  write('copied.zip', '2024-05-04', 'one.zip')
  const read = (file: string) => readFileSync(folder.file(file))
  expect(read('copied.zip').equals(read('other.zip'))).toBe(true)
  expect(read('copied.zip').equals(read('one.zip'))).toBe(false)
  const program = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(json.dumps([len(z.namelist()), z.testzip(), z.read(z.namelist()[-1]).decode()]))`
  expect(python(program, folder.file('copied.zip'))).toEqual([70_000, null, '{"name":"api/069999.json"}'])
})

it('knows an entry that is there, in whatever distance from the last, and none that is not', () => {
  const zip = openPreviousZip(folder.file('one.zip'))
  const wanted = ['api/000000.json', 'api/000000.jsonx', 'api/035000.json', 'b']
  const sizes = wanted.map((name) => zip.entry(name)?.bytes ?? null)
  zip.close()
  const bytes = contentOf('api/000000.json').length
  expect(sizes).toEqual([bytes, null, bytes, null])
})

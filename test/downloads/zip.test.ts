/** The ZIP of the documents: a new one out of the entries of an earlier one. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fileSink } from '../../src/downloads/file-sink.ts'
import { openPreviousZip, zipInto } from '../../src/downloads/zip.ts'
import { tempFolder } from '../support/product.ts'
import { python } from '../support/python.ts'

const folder = tempFolder()

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `api/${String(index).padStart(6, '0')}.json`)
const contentOf = (name: string) => Buffer.from(`{"name":"${name}"}`)

function write(file: string, day: string, fill: (zip: ReturnType<typeof zipInto>) => void): void {
  const sink = fileSink(folder.path, file)
  const zip = zipInto(sink, day)
  fill(zip)
  zip.end()
  sink.close()
}

function readWith<T>(file: string, read: (zip: ReturnType<typeof openPreviousZip>) => T): T {
  const zip = openPreviousZip(folder.file(file))
  const result = read(zip)
  zip.close()
  return result
}

/** As Python reads it: the number of entries, the first damaged one, the content of the last. */
const readByPython = (file: string) =>
  python(
    `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(json.dumps([len(z.namelist()), z.testzip(), z.read(z.namelist()[-1]).decode()]))`,
    folder.file(file),
  )

it('copies entries to the bytes that packing them gives, with the date of the new one', () => {
  const names = namesOf(3000)
  const packed = (file: string, day: string) =>
    write(file, day, (zip) => names.forEach((name) => zip.add(name, contentOf(name))))
  packed('one.zip', '2024-05-03')
  packed('other.zip', '2024-05-04')
  readWith('one.zip', (earlier) =>
    write('copied.zip', '2024-05-04', (zip) => {
      for (const name of names) {
        const entry = earlier.entry(name)
        if (entry === null) throw new Error(`${name} is missing`)
        zip.copy(name, entry)
      }
    }),
  )
  const read = (file: string) => readFileSync(folder.file(file))
  expect(read('copied.zip').equals(read('other.zip'))).toBe(true)
  expect(read('copied.zip').equals(read('one.zip'))).toBe(false)
  expect(readByPython('copied.zip')).toEqual([3000, null, '{"name":"api/002999.json"}'])
})

it('may have more entries than a ZIP without ZIP64, and knows one in whatever distance from the last, and none that is not', () => {
  const names = namesOf(70_000)
  const content = contentOf('whatever')
  write('small.zip', '2024-05-03', (zip) => zip.add('a', content))
  // Copying what is packed takes a tenth of the time of packing.
  readWith('small.zip', (small) => {
    const packed = small.entry('a')
    if (packed === null) throw new Error('the entry is missing')
    write('large.zip', '2024-05-03', (zip) => names.forEach((name) => zip.copy(name, packed)))
  })
  expect(readByPython('large.zip')).toEqual([70_000, null, content.toString()])
  const wanted = ['api/000000.json', 'api/000000.jsonx', 'api/035000.json', 'b']
  const sizes = readWith('large.zip', (zip) => wanted.map((name) => zip.entry(name)?.bytes ?? null))
  expect(sizes).toEqual([content.length, null, content.length, null])
  write('copy of large.zip', '2024-05-03', (zip) =>
    readWith('large.zip', (large) => {
      for (const name of names)
        zip.copy(name, large.entry(name) ?? { crc: 0, bytes: 0, data: Buffer.alloc(0) })
    }),
  )
  const [large, copy] = ['large.zip', 'copy of large.zip'].map((file) => readFileSync(folder.file(file)))
  expect(copy?.equals(large ?? Buffer.alloc(0))).toBe(true)
})

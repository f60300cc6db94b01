/** The digest of the code that renders: whatever may change a snapshot's bytes changes it. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeDigest, digestOfCode } from '../../src/core/snapshot/code-digest.ts'
import { repository, tempFolder } from '../support/folders.ts'

const folder = tempFolder()
const write = (name: string, content: string) => {
  mkdirSync(dirname(folder.file(name)), { recursive: true })
  writeFileSync(folder.file(name), content)
}
write(
  'package.json',
  '{"version":"1","dependencies":{"charts":"^1.0.0","@scope/days":"^2.0.0","gone":"^1.0.0"}}',
)
write('node_modules/charts/package.json', '{"version":"1.0.0"}')
write('node_modules/@scope/days/package.json', '{"version":"2.0.0"}')
const counting =
  `src/core/api/encode/json.ts src/extensions/site/deep/chart.ts src/extensions/describe/index.ts src/core/data/read/fund-reader.ts
  templates/pages/style.css templates/docs/terms.en.md`.split(/\s+/)
const others =
  `src/core/cli/main.ts src/core/bucket/manifest/plan.ts src/core/edge/core/resolve.ts src/core/bucket/nightly/state.ts
  src/make/pack.ts src/core/snapshot/README.md templates/nginx/README.md`.split(/\s+/)
for (const file of [...counting, ...others]) write(file, file)
const digest = () => digestOfCode(folder.path, 'src')

describe('the digest of the code', () => {
  it('changes with each file that may change a byte', () => {
    for (const file of counting) {
      const before = digest()
      appendFileSync(folder.file(file), ' ')
      expect(digest(), file).not.toBe(before)
    }
  })

  it('does not change with files that make no file of a snapshot', () => {
    const before = digest()
    for (const file of others) appendFileSync(folder.file(file), ' ')
    expect(digest()).toBe(before)
  })

  it('changes with the installed version of a library', () => {
    const before = digest()
    write('node_modules/@scope/days/package.json', '{"version":"9.0.0"}')
    expect(digest()).not.toBe(before)
  })

  it('tells the end of a file from the beginning of the next, and a name from another', () => {
    const before = digest()
    write('src/core/api/encode/json.ts', '')
    write('src/core/api/encode/text.ts', 'src/core/api/encode/json.ts ')
    expect(digest()).not.toBe(before)
  })

  it('is that of this checkout, each time', () => {
    expect(codeDigest()).toMatch(/^[0-9a-f]{64}$/)
    expect(digestOfCode(repository, 'src')).toBe(codeDigest())
  })
})

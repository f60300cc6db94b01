/** `fundpress setup` in a folder that holds files already: those of an earlier set-up, or others. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/product.ts'
import { expectFailure, expectSuccess, oneLine } from './outcome.ts'
import { run } from './run.ts'
import { filesOf, setupWords, targets, textsOf } from './setup-flags.ts'

const folder = tempFolder()
const setup = (...given: Parameters<typeof setupWords>) => run(setupWords(...given), { cwd: folder.path })

describe('files that are there', () => {
  it('are not touched if they differ: all are named, and nothing is written', async () => {
    const dest = folder.file('existing')
    const own = { 'SETUP.md': 'ours', '.github/workflows/watch.yml': 'ours: true', 'README.md': 'ours' }
    for (const [name, text] of Object.entries(own)) {
      mkdirSync(dirname(join(dest, name)), { recursive: true })
      writeFileSync(join(dest, name), text)
    }
    const named = [join(dest, '.github/workflows/watch.yml'), join(dest, 'SETUP.md')].join(', ')
    await expectFailure(setup('aws', dest), [
      oneLine,
      `these files are there and differ: ${named} (--overwrite`,
    ])
    expect(textsOf(dest)).toEqual(own)
    await expectSuccess(setup('aws', dest, {}, '--overwrite'))
    expect(textsOf(dest)).toMatchObject({
      'README.md': 'ours',
      'SETUP.md': expect.stringMatching(/^# From here/),
    })
  })

  it.each(targets)('stay as they are if setup %s runs again with the same answers', async (target) => {
    const dest = folder.file(target)
    await expectSuccess(setup(target, dest))
    const before = textsOf(dest)
    const times = filesOf(dest).map((name) => statSync(join(dest, name)).mtimeMs)
    expect(await expectSuccess(setup(target, dest))).toBe('nothing to change\n')
    expect(textsOf(dest)).toEqual(before)
    expect(filesOf(dest).map((name) => statSync(join(dest, name)).mtimeMs)).toEqual(times)
  })

  it('keep the lines of a .gitignore, which gets those that it lacks', async () => {
    const dest = folder.file('ignoring')
    mkdirSync(dest)
    writeFileSync(join(dest, '.gitignore'), 'node_modules/\n/out/')
    await expectSuccess(setup('aws', dest, { database: 'data/funds.sqlite' }))
    const text = readFileSync(join(dest, '.gitignore'), 'utf8')
    expect(text).toMatch(/^node_modules\/\n\/out\/\n/)
    expect(text).toMatch(/\n\*\.sqlite\n[^]*\n!\/data\/funds\.sqlite\n$/)
    expect(text.match(/^\/out\/$/gm)).toHaveLength(1)
  })

  it('are as they were if one of the files cannot be written', async () => {
    const dest = folder.file('blocked')
    mkdirSync(dest)
    writeFileSync(join(dest, 'systemd'), 'a file in the place of a folder')
    expect(await setup('server', dest)).toMatchObject({ code: 1, stdout: '' })
    expect(filesOf(dest)).toEqual(['systemd'])
  })
})

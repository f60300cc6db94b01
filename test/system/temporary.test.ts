/** Temporary folders of killed commands: the next command removes them, and no others. */
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { makeTempFolder } from '../support/product.ts'
import { holdBack } from '../support/two-nights.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 1, { years: 1, isSmall: true }))
})
afterAll(() => press.stop())

let place: ReturnType<typeof makeTempFolder>
beforeEach(() => {
  press.reset()
  place = makeTempFolder()
  return place.remove
})
const left = () => readdirSync(place.path).filter((name) => name.startsWith('fundpress-'))
const env = () => ({ TMPDIR: place.path })
const publish = ['publish', '--out', 'night-1', '--quiet'] as const

/** A publish that is held in the middle. @returns what lets it go on, or kills it */
async function held() {
  const { child, end } = press.begin([...publish], env())
  const go = Promise.withResolvers<undefined>()
  await new Promise<void>((resolve) => {
    press.server.faults([holdBack(/^blue\/api/, () => (resolve(), go.promise))])
  })
  return {
    pid: child.pid ?? 0,
    goOn: async () => {
      go.resolve(undefined)
      return (await end).code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await end
      go.resolve(undefined)
    },
  }
}

it('the next command removes the folder of a killed one, and leaves none itself', async () => {
  await (await held()).kill()
  expect(left()).toHaveLength(1)
  expect(readdirSync(place.file(left()[0] ?? ''))).not.toEqual([])
  await expectSuccess(press.fundpress([...publish], env()))
  expect(left()).toEqual([])
})

it('a command that still runs keeps its folder', async () => {
  const running = await held()
  const [own = ''] = left()
  expect(own).toContain(`-${running.pid}-`)
  // It fails, since nothing is live yet; it has made a folder of its own before.
  await press.fundpress('plan night-1 live', env())
  expect(left()).toEqual([own])
  expect(await running.goOn()).toBe(0)
  expect(left()).toEqual([])
})

describe.skipIf(!existsSync('/proc/self/stat'))('by its name', () => {
  const old = new Date(Date.now() - 8 * 24 * 3600 * 1000)
  const make = (name: string, isOld = false) => {
    mkdirSync(place.file(name))
    writeFileSync(join(place.file(name), 'funds.sqlite'), 'x')
    if (isOld) utimesSync(place.file(name), old, old)
    return name
  }
  /** `fundpress-<world>-` of this machine. */
  const here = async () => {
    const running = await held()
    const [name = ''] = left()
    await running.kill()
    await press.fundpress([...publish], env())
    return name.split('-').slice(0, 2).join('-')
  }

  it('a folder of a number that is used again goes, and one of another machine only after a week', async () => {
    const world = await here()
    make(`${world}-${process.pid}-1-abcdef`)
    make('fundpress-0123456789ab-1-1-abcdef', true)
    const kept = [
      make('fundpress-0123456789ab-1-1-ghijkl'),
      make('fundpress-AbCd34', true),
      make('fundpress-test-AbCd34', true),
      make('fundpress-0123456789ab-1-1-abcdef.sqlite', true),
    ]
    await expectSuccess(press.fundpress('verify', env()))
    expect(left().sort()).toEqual(kept.sort())
  })

  it('a link stays, and so does a folder of somebody else', async () => {
    const world = await here()
    const target = makeTempFolder()
    writeFileSync(target.file('x'), 'x')
    symlinkSync(target.path, place.file(`${world}-${process.pid}-1-abcdef`))
    const others = make(`${world}-${process.pid}-1-ghijkl`)
    if (process.getuid?.() === 0) chownSync(place.file(others), 65534, 65534)
    await expectSuccess(press.fundpress('verify', env()))
    expect(readdirSync(target.path)).toEqual(['x'])
    expect(left()).toHaveLength(process.getuid?.() === 0 ? 2 : 1)
    target.remove()
  })
})

/** Whether a holder of the lease is known to be dead. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isAlive, thisHolder } from '../../src/core/system/holder.ts'

const hasProc = existsSync('/proc/self/stat')

it('counts this process as alive', () => {
  expect(isAlive(thisHolder())).toBe(true)
  if (hasProc) expect(thisHolder()).toEqual(thisHolder())
})

it('counts a process that has ended as dead', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  expect(isAlive({ ...thisHolder(), pid: child.pid ?? 0 })).toBe(false)
})

it('counts a process of another user as alive', () => {
  expect(isAlive({ host: 'here', pid: 1, world: 'this' })).toBe(true)
})

describe.skipIf(!hasProc)('with /proc', () => {
  it('counts a process whose number is used again as dead', () => {
    expect(isAlive({ ...thisHolder(), startedAt: '1' })).toBe(false)
  })

  it('counts a zombie as dead', async () => {
    // A shell that becomes a sleep never asks how its child ended; the child ends with its input, after that.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 600'])
    const [said] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(said.toString())
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
    parent.stdin.end()
    await expect.poll(() => isZombie(pid)).toBe(true)
    expect(isAlive({ ...thisHolder(), pid })).toBe(false)
    parent.kill()
  })
})

const isZombie = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(' Z ')

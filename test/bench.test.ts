/** The benchmarks as far as they are no measurements: what they print, and how two runs are compared. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { repository, tempFolder } from './support/product.ts'

const folder = tempFolder()

function bench(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/main.ts', ...args], {
    cwd: repository,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** A run with a build, and the floor that it is compared with. */
function save(name: string, build: readonly number[], floor: readonly number[]): string {
  const run = { commit: name, date: '2026-11-23T05:00Z', machine: '2 × CPU' }
  const table = {
    bench: 'build',
    name: 'a build',
    about: '3 funds',
    rows: { build: { 'CPU s': build, files: 1200 }, floor: { 'CPU s': floor } },
    ratios: { 'of floor': { by: 'CPU s', of: 'floor' } },
    goals: { build: { 'of floor': 'at most 1.5' } },
  }
  const file = folder.file(`${name}.json`)
  writeFileSync(file, `> npm says something\n${JSON.stringify(run)}\n${JSON.stringify(table)}\n`)
  return file
}

describe('npm run bench', () => {
  it('gives one JSON line for the run, and one for each table', () => {
    const { status, stdout } = bench('start', '--runs', '1', '--json')
    expect(status).toBe(0)
    const [run, table, ...others] = stdout.trim().split('\n')
    expect(JSON.parse(run ?? '')).toMatchObject({ commit: expect.any(String), machine: expect.any(String) })
    expect(JSON.parse(table ?? '')).toMatchObject({
      bench: 'start',
      rows: { '--version': { ms: [expect.any(Number)] } },
    })
    expect(others).toEqual([])
  })

  it('shows a run as tables: ratios of each round first, medians, goals', () => {
    const { stdout } = bench('show', save('one', [20, 24, 90], [10, 20, 30]))
    expect(stdout).toBe(`Commit one, 2026-11-23T05:00Z: 2 × CPU.

### A build

3 funds.

|       |        of floor | CPU s | files |
| ----- | --------------: | ----: | ----: |
| build | 2 (at most 1.5) |    24 | 1,200 |
| floor |               1 |    20 |       |
`)
  })

  it('compares two runs, and marks what changed by more than the rounds vary', () => {
    const [before, after] = [
      save('before', [20, 22, 24], [10, 10, 10]),
      save('after', [10, 11, 12], [9, 10, 11]),
    ]
    const { stdout } = bench('compare', before, after)
    expect(stdout.split('\n').filter((line) => /^\| (build|floor)/.test(line))).toEqual([
      '| build, of floor |            0.5 | less | 2.2 (2–2.4) | 1.1 (1.09–1.11) |',
      '| build, CPU s    |            0.5 | less |  22 (20–24) |      11 (10–12) |',
      '| build, files    |              1 |      |       1,200 |           1,200 |',
      '| floor, CPU s    |              1 |      |  10 (10–10) |       10 (9–11) |',
    ])
  })

  it('says which benchmarks there are if it does not know one', () => {
    expect(bench('walk')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('start|build|since|night'),
    })
    expect(bench('constructor')).toMatchObject({ status: 2 })
    expect(bench('compare', save('only', [1], [1]))).toMatchObject({ status: 2 })
  })
})

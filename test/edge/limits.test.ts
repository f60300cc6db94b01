/** The documents have the limits that the code has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { limitsOfAll, limitsOfClient, nginxCaches, sizeOfCache } from '../../src/core/edge/limits.ts'
import { connectionLimits } from '../../src/core/edge/node/connections.ts'
import { repository } from '../support/folders.ts'

const cachesMiB = nginxCaches.reduce((sum, cache) => sum + sizeOfCache(cache).maxMiB, 0)
const seconds = (ms: number) => `${ms / 1000} s`
const connections = connectionLimits.connections.toLocaleString('en')
const { longAnswers, waiting, waitMs, readerPatienceMs } = limitsOfAll

it.each([
  ['.github/SECURITY.md', /^\| connections \(`serve`\) \| (.*?);/m, connections],
  ['.github/SECURITY.md', /^\| long answers in work .* \| (\d+), of one client/m, `${longAnswers}`],
  [
    '.github/SECURITY.md',
    /^\| long answers in work .* of one client (\d+);/m,
    `${limitsOfClient.longAnswers}`,
  ],
  ['.github/SECURITY.md', /who has read nothing for (\d+ s) gives way/, seconds(readerPatienceMs)],
  ['.github/SECURITY.md', /^\| long answers that wait .* \| (\d+), for/m, `${waiting}`],
  ['.github/SECURITY.md', /^\| long answers that wait .* for (\d+ s), then/m, seconds(waitMs)],
  [
    '.github/SECURITY.md',
    /^\| requests in work of one client \(nginx\) \| (\d+),/m,
    `${limitsOfClient.requests}`,
  ],
  ['.github/SECURITY.md', /^\| caches of nginx .* \| (\d+ MiB)/m, `${cachesMiB} MiB`],
  ['src/core/edge/README.md', /^\| `serve`: connections \| (.*?) \|/m, connections],
  [
    'src/core/edge/README.md',
    /^\| `serve`: long answers in work, .* \| (\d+) \| they wait/m,
    `${longAnswers}`,
  ],
  [
    'src/core/edge/README.md',
    /^\| `serve`: long answers of one client .* \| (\d+) \|/m,
    `${limitsOfClient.longAnswers}`,
  ],
  ['src/core/edge/README.md', /^\| `serve`: wait of a long answer \| (.*?) \|/m, seconds(waitMs)],
  ['src/core/edge/README.md', /^\| `serve`: long answers that wait \| (\d+) \|/m, `${waiting}`],
  [
    'src/core/edge/README.md',
    /^\| `serve`: a long answer whose client .* \| (\d+ s) \|/m,
    seconds(readerPatienceMs),
  ],
  [
    'src/core/edge/README.md',
    /^\| nginx: requests of one client .* \| (\d+) \|/m,
    `${limitsOfClient.requests}`,
  ],
  ['src/core/edge/README.md', /^\| nginx: all caches \| (.*?) \|/m, `${cachesMiB} MiB`],
  [
    'templates/container/README.md',
    /nginx, whose caches are in memory \((\d+ MiB) at most\)/,
    `${cachesMiB} MiB`,
  ],
])('%s has a figure for %s', (file, pattern, figure) => {
  expect(pattern.exec(readFileSync(join(repository, file), 'utf8'))?.[1]).toBe(figure)
})

it('lets no client of nginx take all places for long answers, and nobody wait for longer than nginx does', () => {
  expect(limitsOfClient.requests).toBeLessThan(longAnswers)
  expect(limitsOfClient.longAnswers).toBeLessThan(limitsOfClient.requests)
  // A client that has stopped reading loses its place to one that has come with it.
  expect(readerPatienceMs).toBeLessThan(waitMs)
  expect(waitMs + 2000).toBeLessThan(limitsOfAll.nginxPatienceMs)
  expect(waiting + longAnswers).toBeLessThan(connectionLimits.connections)
})

/** A server that does what a hostile client hopes for: the tests let the budget find it. Says its address on stdout. */
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../../support/request.ts'

const held: Buffer[] = []

const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
  const { url = '/', headers } = request
  const [path = '', query = ''] = url.split('?')
  const answer = (status: number, body: string | Buffer = '{}'): void => {
    response.writeHead(status).end(body)
  }
  // Some 5 ms for 1,000 bytes, 80 ms for 4,000.
  if (query.includes('%&')) busy(query.length ** 2 / 200_000)
  if (path === '/range/') {
    // The first one alone takes more than any limit: a slow machine does not get to many.
    held.push(Buffer.alloc(held.length === 0 ? 200_000_000 : 3_000_000, 'a'))
    busy(10)
    answer(200, held.at(-1))
  } else if (headers.cookie !== undefined) answer(502)
  else if (headers['accept-language'] !== undefined) void setTimeout(1000).then(() => answer(200))
  else if (headers['if-match'] === undefined) answer(200)
})

function busy(ms: number): void {
  const start = process.cpuUsage()
  for (;;) {
    const { user, system } = process.cpuUsage(start)
    if (user + system >= ms * 1000) return
  }
}

process.stdout.write((await listen(server)).base)

/** The program as a file that others start by its name: its commands run in the processes that are kept. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import pLimit from 'p-limit'
import type { Order } from './warm-process.ts'
import { runWarm } from './warm.ts'

/** More at a time than there are cores would only be more processes. */
const limit = pLimit(2)

/**
 * Nothing can be told of a command before its end, and a signal ends the file's process only.
 * @param file is written: for Node
 * @param socket where it sends its commands
 */
export function writeWarmProgram(file: string, socket: string): void {
  createServer({ allowHalfOpen: true }, (connection) => {
    void text(connection).then(async (order) => {
      const done = await limit(() => runWarm(JSON.parse(order) as Order))
      connection.end(JSON.stringify(done))
    })
  })
    .listen(socket)
    .unref()
  writeFileSync(file, programThatAsks(socket))
}

const programThatAsks = (socket: string) => `import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
const connection = connect('${socket}')
connection.end(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }))
const { code, stdout, stderr } = JSON.parse(await text(connection))
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code
`

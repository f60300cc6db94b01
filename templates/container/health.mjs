// The health check of the image: it asks the server that `fundpress serve` is. Any other command is healthy while it runs.
import { readFileSync } from 'node:fs'

// Process 1 is fundpress, or the small init of `docker run --init`, which has the same words behind its own.
const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0')
if (words.includes('serve')) {
  const url = `http://127.0.0.1:${process.env.FUNDPRESS_SERVE_PORT}/status/index.json`
  const { status } = await fetch(url, { method: 'HEAD' })
  if (status >= 500) throw new Error(`${url} answers ${status}`)
}

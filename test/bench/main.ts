/** `npm run bench -- <name>`: measurements that `README.md` quotes. They are no tests. */

import { cpus, totalmem } from 'node:os'

const benches: Readonly<Record<string, () => Promise<{ run: (args: string[]) => Promise<void> }>>> = {
  build: () => import('./build.ts'),
  publish: () => import('./publish.ts'),
  edge: () => import('./edge.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = benches[name]
if (load === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]\n`)
  process.exitCode = 2
} else {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  process.stdout.write(
    `${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, ${memory}, Node ${process.versions.node}\n\n`,
  )
  await (await load()).run(args)
}

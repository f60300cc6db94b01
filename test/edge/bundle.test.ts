import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { routeTable } from '../../src/derive/route-table.ts'
import { endpoints } from '../../src/endpoints/index.ts'

/** CloudFront Functions: 10 KB of source as it is uploaded. */
const budget = 10_240

async function bundle(contents: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: 'src/edge', loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020',
  })
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
  expect(inputs.filter((path) => !/^src\/(edge|routes)\/[a-z-]+\.ts$/.test(path))).toEqual([])
  return outputFiles[0]?.text ?? ''
}

it('resolves requests in less than 10 kB, the route table of the whole API included', async () => {
  const table = JSON.stringify(routeTable(endpoints, 'https://docs.example.com'))
  const code = await bundle(`import { resolve } from './resolve.ts'
    globalThis.handle = (request) => resolve(${table}, request)`)
  expect(code.length).toBeLessThan(budget)
})

it('answers requests, date ranges included, in less than 12 kB of code', async () => {
  const code = await bundle(`export { resolve } from './resolve.ts'
    export { answer } from './answer.ts'
    export { isNotModified, notModifiedHeaders } from './conditional.ts'`)
  expect(code.length).toBeLessThan(12_000)
})

it('uses nothing of Node or the web in the core', async () => {
  const code = await bundle(`export { resolve } from './resolve.ts'
    export { answer } from './answer.ts'
    export { isNotModified, notModifiedHeaders } from './conditional.ts'`)
  expect(code).not.toMatch(
    /\b(process|Buffer|require|fetch|URL|URLSearchParams|TextEncoder|TextDecoder|crypto|class)\b/,
  )
})

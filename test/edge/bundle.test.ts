import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { loadSettings } from '../../src/cli/load-settings.ts'
import { requestFunction, responseFunction } from '../../src/edge/cloudfront/deploy.ts'

const settings = loadSettings({ flags: new Map(), environment: {}, configFile: undefined, cores: 1 })

async function bundle(contents: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: 'src/edge/core', loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020',
  })
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
  expect(inputs.filter((path) => !/^src\/(edge\/core|api\/routes)\/[a-z-]+\.ts$/.test(path))).toEqual([])
  return outputFiles[0]?.text ?? ''
}

it("leaves room in CloudFront's functions with the whole route table and long settings", async () => {
  const edge = { ...settings.edge, cacheControl: 'x'.repeat(150), errorCacheControl: 'x'.repeat(50) }
  for (const make of [requestFunction, responseFunction]) {
    // CloudFront takes 10 KB of source.
    expect(Buffer.byteLength(await make({ ...settings, edge }))).toBeLessThan(10_240 - 128)
  }
})

it('refuses to write a function that is too long for CloudFront', async () => {
  const edge = { ...settings.edge, cacheControl: 'x'.repeat(5000) }
  await expect(requestFunction({ ...settings, edge })).rejects.toThrow(
    /^CloudFront takes functions of at most 10240 bytes, and viewer-request has 1\d{4}: shorten edge.cacheControl/,
  )
})

it('answers requests, date ranges included, in less than 20 KiB, and uses nothing of Node or the web', async () => {
  const code = await bundle(`export { resolve } from './resolve.ts'
    export { answer } from './answer.ts'
    export { finish } from './finish.ts'
    export { joinRange } from './join.ts'
    export { fromOneSnapshot } from './live.ts'`)
  expect(code.length).toBeLessThan(20 * 1024)
  expect(code).not.toMatch(
    /\b(process|Buffer|require|fetch|URL|URLSearchParams|TextEncoder|TextDecoder|crypto|class)\b/,
  )
})

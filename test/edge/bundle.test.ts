import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { coreSettings } from '../../src/core/cli/load-settings.ts'
import { requestFunction, responseFunction } from '../../src/extensions/platforms/cloudfront/deploy.ts'
import { noteHeader } from '../../src/extensions/platforms/cloudfront/event.ts'
import { asScript } from '../../src/core/edge/deployment.ts'

const settings = coreSettings({}, 1)

async function bundle(contents: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: 'src/core/edge/core', loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020',
  })
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
  expect(inputs.filter((path) => !/^src\/core\/(edge\/core|api\/routes)\/[a-z-]+\.ts$/.test(path))).toEqual(
    [],
  )
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

it('answers requests, date ranges included, in less than 23 KiB, and uses nothing of Node or the web', async () => {
  const code = await bundle(`export { resolve } from './resolve.ts'
    export { answer } from './answer.ts'
    export { finish } from './finish.ts'
    export { joinRange } from './join.ts'
    export { fromOneSnapshot } from './live.ts'`)
  expect(code.length).toBeLessThan(23 * 1024)
  expect(code).not.toMatch(
    /\b(process|Buffer|require|fetch|URL|URLSearchParams|TextEncoder|TextDecoder|crypto|class)\b/,
  )
})

/** What would end a text, a script, a line or a page, or is special in a replacement; and the bundle's own variable. */
const hostile = 'a"\'`\\\n $& $1 </script> \u2028\u2029 fundpress ü €'

it('gives any text of the settings to the script as it is', async () => {
  const script = asScript({ [hostile]: hostile })
  expect(script).toMatch(/^[ -~]+$/)
  expect(runInNewContext(`(${script})`)).toEqual({ [hostile]: hostile })
  const edge = { ...settings.edge, cacheControl: hostile }
  const note = {
    path: '/api/v1/emt/DE0008491051/',
    since: 0,
    wanted: { format: 'json', language: null, offers: [], vary: [] },
  }
  const event = {
    request: { headers: { [noteHeader]: { value: JSON.stringify(note) } } },
    response: { statusCode: 200, headers: {} },
  }
  const code = await responseFunction({ ...settings, edge })
  const { headers } = runInNewContext(`${code};handler(${JSON.stringify(event)})`) as typeof event.response
  expect(headers).toMatchObject({ 'cache-control': { value: hostile } })
})

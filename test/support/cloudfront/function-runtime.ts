/**
 * CloudFront Functions in a runtime that is no richer than CloudFront's: the very files, in a real nginx with njs, one
 * process for all of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { spawnNginx } from '../nginx.ts'
import { freePorts } from '../ports.ts'
import { makeTempFolder } from '../product.ts'
import { rawRequest } from '../request.ts'

export interface Headers {
  [name: string]: { value: string; multiValue?: { value: string }[] }
}

/** `createRequestOriginGroup`'s argument. */
export interface OriginGroup {
  readonly originIds: readonly { readonly originId: string }[]
  readonly failoverCriteria: { readonly statusCodes: readonly number[] }
}

interface FunctionCall {
  readonly event: Readonly<Record<string, unknown>>
  /** What the KeyValueStore holds; a key that is not there makes `get` fail. */
  readonly keys: Readonly<Record<string, string>>
  readonly rawQueryString: string | undefined
}

interface FunctionResult {
  /** What the handler gave back. */
  readonly result: unknown
  readonly group: OriginGroup | null
}

export type FunctionRuntime = Awaited<ReturnType<typeof startFunctions>>

/** @param functions their files' texts, by name */
export async function startFunctions(functions: Readonly<Record<string, string>>) {
  const folder = makeTempFolder()
  const port = await freePorts()
  const names = Object.keys(functions)
  writeFileSync(folder.file('cloudfront'), cloudfrontModule)
  for (const name of names) writeFileSync(folder.file(`${name}.js`), `${functions[name] ?? ''}\n${runner}`)
  mkdirSync(folder.file('conf.d'))
  writeFileSync(folder.file('conf.d/functions.conf'), configuration(folder.path, port, names))
  const { base, pid, errors, stop } = await spawnNginx(folder.path, port, 1, true)
  return {
    /** @throws {Error} with what the function threw */
    run: async (name: string, call: FunctionCall): Promise<FunctionResult> => {
      const asked = { method: 'POST', target: `/${name}`, body: JSON.stringify(call) }
      const { status, body } = await rawRequest(base, asked)
      if (status !== 200) throw new Error(`${name} failed: ${body.toString()} ${errors().slice(-2000)}`)
      return JSON.parse(body.toString()) as FunctionResult
    },
    pid,
    stop: async () => {
      await stop()
      folder.remove()
    },
  }
}

/** What `import cf from 'cloudfront'` gives. Each request has a module state of its own in njs. */
const cloudfrontModule = `
  let keys = {};
  let group = null;
  export default {
    kvs: () => ({
      get: (key, options) => {
        if (keys[key] === undefined) return Promise.reject(new Error('KeyNotFound'));
        const value = Promise.resolve(keys[key]);
        return options && options.format === 'json' ? value.then(JSON.parse) : value;
      },
    }),
    createRequestOriginGroup: (given) => { group = given; },
    start: (given) => { keys = given; },
    group: () => group,
  };
`

/** Below the function's own text. Not every function imports the module, so it is imported once more. */
const runner = `
import cloudfrontOfTheTests from 'cloudfront';
export default {
  run: (r) => {
    const call = JSON.parse(r.requestText);
    cloudfrontOfTheTests.start(call.keys);
    if (call.event.request) call.event.request.rawQueryString = () => call.rawQueryString;
    Promise.resolve()
      .then(() => handler(call.event))
      .then(
        (result) => r.return(200, JSON.stringify({ result: result, group: cloudfrontOfTheTests.group() })),
        (error) => r.return(500, String(error) + (error.stack || '')),
      );
  },
};
`

const configuration = (folder: string, port: number, names: readonly string[]) => `
  client_body_buffer_size 1m;
  js_path ${folder};
  ${names.map((name, index) => `js_import f${index} from ${name}.js;`).join('\n')}
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 10000000;
    ${names.map((name, index) => `location = /${name} { js_content f${index}.run; }`).join('\n')}
  }
`

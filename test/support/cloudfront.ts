/**
 * CloudFront on this machine: what `fundpress edge cloudfront` wrote, with the functions in njs, the Lambda in a process
 * of its own, the S3 server of the tests as the bucket, and everything between them as the template says.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDistribution } from './cloudfront/distribution.ts'
import { edgeLocation, type AskOrigin, type EdgeLocation } from './cloudfront/edge-location.ts'
import { startFunctions } from './cloudfront/function-runtime.ts'
import { ask, signed } from './cloudfront/origins.ts'
import { makeTempFolder, mustRun, repository } from './product.ts'
import type { S3Server } from './s3/server.ts'

export interface CloudFront {
  /** http://127.0.0.1:port */
  readonly base: string
  readonly edges: readonly EdgeLocation[]
  /** Of the functions' runtime and of the Lambda; what is CloudFront's own runs in this process. */
  readonly pids: readonly number[]
  /** A value of the KeyValueStore that comes to one edge after the other. Resolves at once. */
  readonly propagate: (key: string, value: string) => void
  /** What the Lambda logged: the metric among it. */
  readonly lambdaLog: () => string
  /** Calls the Lambda that tells the age of the live snapshot. */
  readonly watch: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface CloudFrontOptions {
  readonly s3: S3Server
  readonly bucket: string
  /** Below which everything lies in the bucket. */
  readonly prefix?: string
  /** When a value of the KeyValueStore gets to each edge, in milliseconds. */
  readonly propagationMs?: readonly number[]
}

const host = fileURLToPath(new URL('cloudfront/lambda-host.ts', import.meta.url))

export async function startCloudFront(options: CloudFrontOptions): Promise<CloudFront> {
  const { s3, bucket, prefix = '', propagationMs = [0] } = options
  const folder = makeTempFolder()
  const flags = ['--bucket', bucket, '--region', s3.settings.region, '--prefix', prefix]
  await mustRun(['edge', 'cloudfront', ...flags, '--dest', folder.path, '--quiet'])
  // The Lambda's Node brings the SDK with it.
  symlinkSync(join(repository, 'node_modules'), folder.file('node_modules'))
  const template = JSON.parse(readFileSync(folder.file('template.json'), 'utf8')) as Record<string, unknown>
  const distribution = readDistribution(template)
  const functions = await startFunctions(Object.fromEntries(distribution.functions))
  const lambda = await startLambda(folder.file('lambda/index.mjs'), options)

  const askBucket: AskOrigin = (request) =>
    ask(s3.endpoint, signed(s3.endpoint, { ...request, path: `/${bucket}${request.path}` }, s3.settings))
  const askLambda: AskOrigin = (request) => ask(lambda.base, request)
  const origins = new Map([
    ['bucket', askBucket],
    ['lambda', askLambda],
  ])
  const edges = propagationMs.map(() => edgeLocation({ distribution, functions, origins }))
  let turn = 0
  // Source: CloudFront's quotas, the length of a request without its body.
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    const edge = edges[turn++ % edges.length]
    edge?.answer(viewerRequest(request)).then(
      ({ status, headers, body }) => {
        // A 204 and a 304 have no length; what the Lambda streams is told by its chunks.
        response.writeHead(status, headers)
        response.end(request.method === 'HEAD' ? undefined : body)
      },
      (error: unknown) => {
        response.writeHead(502, { 'content-type': 'text/plain' })
        response.end(String(error))
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const timers = new Set<NodeJS.Timeout>()
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    edges,
    pids: [functions.pid, lambda.pid],
    propagate: (key, value) => {
      edges.forEach((edge, index) => {
        timers.add(setTimeout(() => (edge.keys[key] = value), propagationMs[index]))
      })
    },
    lambdaLog: lambda.log,
    watch: lambda.watch,
    stop: async () => {
      timers.forEach(clearTimeout)
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, functions.stop(), lambda.stop()])
      folder.remove()
    },
  }
}

function viewerRequest({ method = 'GET', url = '/', rawHeaders }: IncomingMessage) {
  const question = url.indexOf('?')
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  return {
    method,
    path: question < 0 ? url : url.slice(0, question),
    rawQuery: question < 0 ? undefined : url.slice(question + 1),
    headers: names.map((name, index) => [name.toLowerCase(), rawHeaders[2 * index + 1] ?? ''] as const),
  }
}

async function startLambda(module: string, { s3, bucket, prefix = '' }: CloudFrontOptions) {
  const { accessKeyId, secretAccessKey, region } = s3.settings
  const child = spawn(process.execPath, [host, module], {
    env: {
      PATH: process.env['PATH'],
      BUCKET: bucket,
      PREFIX: prefix === '' ? '' : `${prefix}/`,
      STACK: 'fundpress-test',
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
    },
  })
  const closed = once(child, 'close')
  const log: string[] = []
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  const [port] = (await Promise.race([
    once(child.stdout, 'data'),
    closed.then(() => Promise.reject(new Error(`the Lambda did not start: ${log.join('')}`))),
  ])) as [Buffer]
  child.stdout.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  const base = `http://127.0.0.1:${port.toString().trim()}`
  return {
    base,
    pid: child.pid ?? 0,
    log: () => log.join(''),
    // Stands for the schedule.
    watch: async () => {
      const { status } = await fetch(`${base}/watch`, { method: 'POST' })
      if (status !== 200) throw new Error(`the watching Lambda failed: ${log.join('')}`)
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}

/**
 * CloudFront on this machine: what `fundpress edge cloudfront` wrote, with the functions in njs, the Lambda in a process
 * of its own, the S3 server of the tests as the bucket, and everything between them as the template says.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDistribution } from './cloudfront/distribution.ts'
import { edgeLocation, type OriginRequest } from './cloudfront/edge-location.ts'
import { startFunctions } from './cloudfront/function-runtime.ts'
import { makeTempFolder, mustRun, repository } from './product.ts'
import { headerPairs, listen, rawRequest } from './request.ts'
import type { S3Server } from './s3/server.ts'
import { signatureOf } from './s3/verification.ts'

export type CloudFront = Awaited<ReturnType<typeof startCloudFront>>

interface CloudFrontOptions {
  readonly s3: S3Server
  readonly bucket: string
  /** Below which everything lies in the bucket. */
  readonly prefix?: string
  /** When a value of the KeyValueStore gets to each edge, in milliseconds. */
  readonly propagationMs?: readonly number[]
}

const host = fileURLToPath(new URL('cloudfront/lambda-host.ts', import.meta.url))

export async function startCloudFront(options: CloudFrontOptions) {
  const { s3, bucket, prefix = '', propagationMs = [0] } = options
  const folder = makeTempFolder()
  const flags = ['--bucket', bucket, '--region', s3.settings.region, '--prefix', prefix]
  await mustRun(['edge', 'cloudfront', ...flags, '--dest', folder.path, '--quiet'])
  // The Lambda's Node brings the SDK with it.
  symlinkSync(join(repository, 'node_modules'), folder.file('node_modules'))
  const template = JSON.parse(readFileSync(folder.file('template.json'), 'utf8')) as Record<string, unknown>
  const distribution = readDistribution(template)
  const functions = await startFunctions(distribution.functions)
  const lambda = await startLambda(folder.file('lambda/index.mjs'), options)

  const origins = {
    bucket: (request: OriginRequest) =>
      ask(s3.endpoint, signed({ ...request, path: `/${bucket}${request.path}` }, s3)),
    lambda: (request: OriginRequest) => ask(lambda.base, request),
  }
  const edges = propagationMs.map(() => edgeLocation({ distribution, functions, origins }))
  let turn = 0
  // Source: CloudFront's quotas, the length of a request without its body.
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    const edge = edges[turn++ % edges.length]
    edge?.answer(viewerRequest(request)).then(
      ({ status, headers, body }) => {
        // A 204 and a 304 have no length; an answer of the Lambda comes in chunks.
        response.writeHead(status, headers)
        response.end(request.method === 'HEAD' ? undefined : body)
      },
      (error: unknown) => {
        response.writeHead(502, { 'content-type': 'text/plain' })
        response.end(String(error))
      },
    )
  })
  const { base, stop } = await listen(server)
  const timers = new Set<NodeJS.Timeout>()
  return {
    base,
    edges,
    /** Of the functions' runtime and of the Lambda; what is CloudFront's own runs in this process. */
    pids: [functions.pid, lambda.pid],
    /** A value of the KeyValueStore that comes to one edge after the other. Resolves at once. */
    propagate: (key: string, value: string) => {
      edges.forEach((edge, index) => {
        timers.add(setTimeout(() => (edge.keys[key] = value), propagationMs[index]))
      })
    },
    /** What the Lambda logged: the metric among it. */
    lambdaLog: lambda.log,
    /** Calls the Lambda that tells the age of the live snapshot. */
    watch: lambda.watch,
    stop: async () => {
      timers.forEach(clearTimeout)
      await Promise.all([stop(), functions.stop(), lambda.stop()])
      folder.remove()
    },
  }
}

function viewerRequest(request: IncomingMessage) {
  const { method = 'GET', url = '/' } = request
  const [path = '', rawQuery] = url.split(/\?(.*)/s)
  return { method, path, rawQuery, headers: headerPairs(request) }
}

async function ask(base: string, { method, path, query, headers }: OriginRequest) {
  const target = path + (query === '' ? '' : `?${query}`)
  const answer = await rawRequest(base, { method, target, headers })
  const hops = ['connection', 'keep-alive', 'transfer-encoding', 'date']
  const kept = answer.headers.filter(([name]) => !hops.includes(name))
  return { status: answer.status, headers: Object.fromEntries(kept), body: answer.body }
}

/** As an origin access control signs requests for S3. */
function signed(request: OriginRequest, { endpoint, settings }: S3Server): OriginRequest {
  const { accessKeyId, secretAccessKey, region } = settings
  const payload = 'UNSIGNED-PAYLOAD'
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = date.slice(0, 8)
  const own = { host: new URL(endpoint).host, 'x-amz-content-sha256': payload, 'x-amz-date': date }
  const names = Object.keys(own)
  const { method, path: rawPath } = request
  const query = new Map(new URLSearchParams(request.query))
  const { signature } = signatureOf(
    { method, rawPath, query, headers: own },
    { day, region, date, names, payload },
    secretAccessKey,
  )
  const credential = `Credential=${accessKeyId}/${day}/${region}/s3/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...request, headers: { ...request.headers, ...own, authorization } }
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
  const [address] = (await Promise.race([
    once(child.stdout, 'data'),
    closed.then(() => Promise.reject(new Error(`the Lambda did not start: ${log.join('')}`))),
  ])) as [Buffer]
  child.stdout.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  const base = address.toString()
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

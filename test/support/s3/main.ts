/** The S3 server of the tests as a process of its own, for benchmarks and tools: `node main.ts PORT BUCKET…`. */
import { startS3 } from './server.ts'

const [port = '0', ...buckets] = process.argv.slice(2)
const { endpoint, settings } = await startS3({ port: Number(port), buckets, regionCheck: 'none' })
const { accessKeyId, secretAccessKey } = settings
process.stdout.write(`${JSON.stringify({ endpoint, accessKeyId, secretAccessKey })}\n`)

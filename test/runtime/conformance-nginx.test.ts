/** nginx as Debian has it: with files behind a symbolic link, and with a private bucket behind its cache. */
import { renameSync, symlinkSync } from 'node:fs'
import { startNginx, whyNoNginx } from '../support/nginx.ts'
import { makeTempFolder, mustRun } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { startS3 } from '../support/s3/server.ts'
import { conformanceSuite, type Night } from './conformance.ts'

conformanceSuite(
  'nginx with files',
  async (first) => {
    const folder = makeTempFolder()
    const live = folder.file('live')
    const swap = ({ out }: Night): void => {
      symlinkSync(out, `${live}.next`)
      renameSync(`${live}.next`, live)
    }
    swap(first)
    const swapAfterAWhile = async (night: Night): Promise<void> => {
      // A swap takes no time at all: the first night has to be seen too.
      await new Promise((resolve) => setTimeout(resolve, 500))
      swap(night)
    }
    const nginx = await startNginx({ args: ['--out', live], workers: 2 })
    return {
      base: nginx.base,
      flip: swapAfterAWhile,
      lagMs: 0,
      stop: async () => {
        await nginx.stop()
        folder.remove()
      },
    }
  },
  { skip: whyNoNginx },
)

conformanceSuite(
  'nginx with a bucket',
  async (first) => {
    const s3 = await startS3({ buckets: ['fund-data'] })
    const publish = async ({ out }: Night): Promise<void> => {
      await mustRun(publishArgs(s3.endpoint, 'fund-data', out, '--force'), { env: credentials })
    }
    await publish(first)
    const args = [...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', '1']
    const nginx = await startNginx({ args, credentials, workers: 2 })
    return {
      base: nginx.base,
      flip: publish,
      lagMs: 1200,
      stop: async () => {
        await nginx.stop()
        await s3.stop()
      },
    }
  },
  { skip: whyNoNginx },
)

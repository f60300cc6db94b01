/** The Worker in the real workerd, with an R2 bucket: whatever `serve` answers, it answers. */
import { startFront } from '../support/worker-front.ts'
import { startWorker } from '../support/worker.ts'
import { conformanceSuite } from './conformance.ts'

conformanceSuite('the Worker in workerd', async (first) => {
  const liveTtlSeconds = 1
  const worker = await startWorker({ liveTtlSeconds })
  const front = await startFront(worker.base)
  await worker.publish(first.out)
  return {
    base: front.base,
    flip: ({ out }) => worker.publish(out),
    // While one request looks what is live, the others may go on with what was, for half a time to live.
    lagMs: liveTtlSeconds * 1500 + 100,
    stop: async () => {
      await front.stop()
      await worker.stop()
    },
  }
})

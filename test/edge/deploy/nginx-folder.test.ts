/** nginx on a bucket that is a folder: what it follows, and what it keeps to itself. Answers: the conformance suite. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { mustRun } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { rawRequest } from '../../support/request.ts'
import { filesIn } from '../../support/tree.ts'
import { firstIsin } from '../runtime/deployments.ts'

describe.skipIf(isMissing(whyNoNginx === undefined))('nginx with a bucket that is a folder', () => {
  let nights: Nights
  let nginx: Nginx
  let bucket: string
  let profile: string
  const get = (target: string) => rawRequest(nginx.base, { target })
  const profileNow = async () => (await get(profile)).body.toString()
  beforeAll(async () => {
    nights = await buildNights(2, 1, { years: 1, isSmall: true })
    bucket = nights.folder.file('bucket')
    profile = `/api/v1/profile/${firstIsin(nights.outs[0] ?? '')}/`
    nginx = await startNginx({ args: ['--bucket', `file://${bucket}`] })
  })
  afterAll(async () => {
    await nginx.stop()
    nights.remove()
  })

  it('answers 503 until something is live, then from each flip on with what is live', async () => {
    expect((await get(profile)).status).toBe(503)
    expect(nginx.errors()).toContain(`nothing is live in ${bucket}, or nginx may not read it`)
    for (const [index, out] of nights.outs.entries()) {
      await mustRun(['publish', '--out', out, '--bucket', `file://${bucket}`, '--grace', '0', '--quiet'])
      expect(await profileNow()).toContain(`night ${index + 1}`)
    }
    await mustRun(['rollback', '--bucket', `file://${bucket}`])
    expect(await profileNow()).toContain('night 1')
  })

  it('serves nothing of the folder beside the live slot', async () => {
    writeFileSync(join(bucket, 'staged.json'), '{}')
    const isOfSlot = (file: string) => /^(blue|green)\/(api|errors)\//.test(file)
    const files = filesIn(bucket).filter((file) => !isOfSlot(file))
    expect(files).toEqual(
      expect.arrayContaining(['.fundpress/lock', 'journal.json', 'live.json', 'staged.json']),
    )
    const places = [...files, `green${profile}index.de.json`]
    const targets = places.flatMap((file) => [`/${file}`, `/docs/../${file}`, `/_fundpress/file/${file}`])
    const answers = await Promise.all(
      targets.map(async (target) => ({ target, status: (await get(target)).status })),
    )
    expect(answers.filter(({ status }) => status !== 404)).toEqual([])
  })

  it('answers 503 while live.json is damaged', async () => {
    writeFileSync(join(bucket, 'live.json'), '{"format":1}')
    expect((await get(profile)).status).toBe(503)
    expect(nginx.errors()).toContain('live.json is not one of this fundpress')
  })
})

/**
 * Keeps schedules alive: `node keep-schedules.mjs nightly.yml watch.yml`. GitHub disables the schedules of a public
 * repository that had no commit for 60 days. Enabling an enabled workflow restarts the count. This works, but is not
 * documented, so an outside monitor stays necessary. A workflow that was disabled by hand stays disabled.
 */

import { callGitHub } from '../fundpress-issue/github-api.mjs'

for (const file of process.argv.slice(2)) {
  const path = `/actions/workflows/${file}`
  const { status, body } = await callGitHub('GET', path)
  if (status !== 200) throw new Error(`${file}: there is no such workflow (${String(status)})`)
  const { state } = /** @type {{ state: string }} */ (body)
  if (state === 'disabled_manually') process.stdout.write(`${file} was disabled by hand and stays disabled\n`)
  else await callGitHub('PUT', `${path}/enable`)
}

/** GitHub's REST API as far as our scripts use it. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../request.ts'

export interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly comments: string[]
  created_at?: string
  state: 'open' | 'closed'
  readonly pull_request?: object
}

export interface Artifact {
  readonly name: string
  readonly expired: boolean
  readonly created_at: string
  readonly workflow_run: Readonly<
    Record<'id' | 'repository_id' | 'head_repository_id', number> & Record<'head_branch', string>
  > | null
}

export type FakeApi = Awaited<ReturnType<typeof startApi>>
type Answer = readonly [status: number, body?: object]
type Sent = Partial<Pick<Issue, 'title' | 'body' | 'labels' | 'state'>>

export async function startApi() {
  const api = {
    issues: [] as Issue[],
    /** False in a new fork. */
    hasIssues: true,
    /** By file. */
    workflows: new Map<string, { state: string; enabled: number }>(),
    artifacts: [] as Artifact[],
    /** How many of the next requests are answered with 502. */
    failures: 0,
  }

  function answerTo(request: string, query: URLSearchParams, sent: Sent): Answer {
    const [, wanted] = /\/issues\/(\d+)/.exec(request) ?? []
    const issue = api.issues.find((one) => String(one.number) === wanted)
    const [, file = ''] = /\/workflows\/([\w.-]+)/.exec(request) ?? []
    const workflow = api.workflows.get(file)
    const created_at = new Date().toISOString()
    const answers: Readonly<Record<string, () => Answer>> = {
      'POST /labels': () => [422, { message: 'already_exists' }],
      'GET /issues': () => [
        200,
        api.issues.filter(
          ({ state, labels }) => state === query.get('state') && labels.includes(query.get('labels') ?? ''),
        ),
      ],
      'POST /issues': () => {
        if (!api.hasIssues) return [410]
        const { title = '', body = '', labels = [] } = sent
        const number = api.issues.length + 1
        api.issues.push({ number, title, body, labels, comments: [], state: 'open', created_at })
        return [201, {}]
      },
      'GET /issues/X/comments': () => [200, issue?.comments.map((body) => ({ body, created_at })) ?? []],
      'POST /issues/X/comments': () => [issue?.comments.push(sent.body ?? '') === undefined ? 404 : 201, {}],
      'PATCH /issues/X': () => {
        if (issue !== undefined && sent.state !== undefined) issue.state = sent.state
        return [issue === undefined ? 404 : 200, {}]
      },
      'GET /actions/artifacts': () => {
        const found = api.artifacts.filter(({ name }) => name === query.get('name'))
        const size = Number(query.get('per_page'))
        const page = Number(query.get('page'))
        return [200, { artifacts: found.slice((page - 1) * size, page * size) }]
      },
      'GET /actions/workflows/X': () => [workflow === undefined ? 404 : 200, { state: workflow?.state }],
      'PUT /actions/workflows/X/enable': () => {
        if (workflow !== undefined) workflow.enabled++
        return [workflow === undefined ? 404 : 204]
      },
    }
    const name = request.replace(/(?<=\/issues\/)\d+|(?<=\/workflows\/)[\w.-]+/, 'X')
    return answers[name]?.() ?? [404, { message: request }]
  }

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '', headers } = request
    const sent = await text(request)
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const path = pathname.replace(/^\/repos\/owner\/funds/, '')
    if (headers.authorization !== 'Bearer token') return [403, { message: 'no such token' }]
    if (api.failures-- > 0) return [502]
    return answerTo(`${method} ${path}`, searchParams, sent === '' ? {} : (JSON.parse(sent) as Sent))
  }
  const http = createServer((request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body)),
    )
  })
  return Object.assign(api, await listen(http))
}

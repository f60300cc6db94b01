/** GitHub's REST API as far as our scripts use it: labels, issues, comments, workflows, artifacts. Tokens have the permissions of their job. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../request.ts'

export interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly comments: string[]
  /** Of the issue; its comments are of now. */
  created_at?: string
  state: 'open' | 'closed'
  /** A pull request is listed among the issues. */
  readonly isPullRequest?: boolean
}

export interface Artifact {
  readonly name: string
  readonly expired: boolean
  readonly created_at: string
  readonly workflow_run: {
    readonly id: number
    readonly repository_id: number
    readonly head_repository_id: number
    readonly head_branch: string
  } | null
}

export type FakeApi = Awaited<ReturnType<typeof startApi>>
type Answer = readonly [status: number, body?: object]
type Sent = Partial<Pick<Issue, 'title' | 'body' | 'labels' | 'state'>> & { readonly name?: string }
/** What a method and a path are answered with; `part` is what the pattern holds. */
type Route = readonly [pattern: RegExp, reply: (part: string, sent: Sent, query: URLSearchParams) => Answer]

export async function startApi() {
  const api = {
    issues: [] as Issue[],
    /** A new fork has none until somebody enables them. */
    hasIssues: true,
    labels: new Set<string>(),
    /** By file. */
    workflows: new Map<string, { state: string; enabled: number }>(),
    artifacts: [] as Artifact[],
    /** The permissions of a job, by its token. */
    permissions: new Map<string, Readonly<Record<string, 'read' | 'write'>>>(),
    /** How many of the next requests are answered with 502. */
    failures: 0,
  }
  const issueNumbered = (number: string) => api.issues.find((issue) => String(issue.number) === number)

  const createLabel: Route[1] = (_, { name = '' }) => {
    if (api.labels.has(name)) return [422, { message: 'already_exists' }]
    api.labels.add(name)
    return [201, {}]
  }
  const listIssues: Route[1] = (_, __, query) => {
    const found = api.issues.filter(
      ({ state, labels }) => state === query.get('state') && labels.includes(query.get('labels') ?? ''),
    )
    return [200, found.map((one) => (one.isPullRequest === true ? { ...one, pull_request: {} } : one))]
  }
  const createIssue: Route[1] = (_, { title = '', body = '', labels = [] }) => {
    if (!api.hasIssues) return [410, { message: 'Issues has been disabled in this repository.' }]
    const number = api.issues.length + 1
    const created_at = new Date().toISOString()
    api.issues.push({ number, title, body, labels, comments: [], state: 'open', created_at })
    return [201, { number }]
  }
  const listComments: Route[1] = (number) => {
    const created_at = new Date().toISOString()
    return [200, issueNumbered(number)?.comments.map((body) => ({ body, created_at })) ?? []]
  }
  const comment: Route[1] = (number, { body = '' }) => {
    const issue = issueNumbered(number)
    issue?.comments.push(body)
    return [issue === undefined ? 404 : 201, {}]
  }
  const changeIssue: Route[1] = (number, { state }) => {
    const issue = issueNumbered(number)
    if (issue !== undefined && state !== undefined) issue.state = state
    return [issue === undefined ? 404 : 200, {}]
  }
  const listArtifacts: Route[1] = (_, __, query) => {
    const found = api.artifacts.filter(({ name }) => name === query.get('name'))
    const perPage = Number(query.get('per_page') ?? 30)
    const from = (Number(query.get('page') ?? 1) - 1) * perPage
    return [200, { total_count: found.length, artifacts: found.slice(from, from + perPage) }]
  }
  const enableWorkflow: Route[1] = (file) => {
    const workflow = api.workflows.get(file)
    if (workflow !== undefined) workflow.enabled++
    return [workflow === undefined ? 404 : 204]
  }
  const routes: readonly Route[] = [
    [/^POST \/labels$/, createLabel],
    [/^GET \/issues\?/, listIssues],
    [/^POST \/issues$/, createIssue],
    [/^GET \/issues\/(\d+)\/comments\?/, listComments],
    [/^POST \/issues\/(\d+)\/comments$/, comment],
    [/^PATCH \/issues\/(\d+)$/, changeIssue],
    [/^GET \/actions\/artifacts\?/, listArtifacts],
    [
      /^GET \/actions\/workflows\/([^/]+)$/,
      (file) => [api.workflows.has(file) ? 200 : 404, { state: api.workflows.get(file)?.state }],
    ],
    [/^PUT \/actions\/workflows\/([^/]+)\/enable$/, enableWorkflow],
  ]

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '', headers } = request
    const sent = await text(request)
    const target = url.replace(/^\/repos\/owner\/funds/, '')
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    const right = api.permissions.get(token)?.[target.startsWith('/actions/') ? 'actions' : 'issues']
    if (right !== 'write' && (right !== 'read' || method !== 'GET'))
      return [403, { message: `${token} may not` }]
    if (api.failures-- > 0) return [502, {}]
    for (const [pattern, reply] of routes) {
      const [found, part = ''] = pattern.exec(`${method} ${target}`) ?? []
      const query = new URL(target, 'http://localhost').searchParams
      if (found !== undefined) return reply(part, sent === '' ? {} : (JSON.parse(sent) as Sent), query)
    }
    return [404, { message: `${method} ${target}` }]
  }
  const http = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? '' : JSON.stringify(body))
    })
  })
  return Object.assign(api, await listen(http))
}

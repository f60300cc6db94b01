/** The viewer-response function of CloudFront: adds headers to answers of the bucket, for statuses below 400 only. */

import { documentHeaders, pageHeaders, type EdgeSettings } from '../../../core/edge/core/answer.ts'
import { mayBeCoded, preconditionFailed, varyByCoding, verdictOf } from '../../../core/edge/core/finish.ts'
import { lastModifiedOf } from '../../../core/edge/core/live.ts'
import {
  conditionHeaders,
  markPreview,
  noteHeader,
  onTheWay,
  headerText,
  type CloudFrontHeaders,
  type CloudFrontRequest,
  type CloudFrontResponse,
  type Note,
} from './event.ts'

export const viewerResponse =
  (settings: EdgeSettings) =>
  ({ request, response }: Event): CloudFrontResponse => {
    const note = request.headers[noteHeader]
    // Without a note the answer is the Lambda's, with all its headers.
    if (note) complete(response, settings, JSON.parse(note.value) as Note)
    const answered = isRefused(request, response) ? refusalOf(request, response) : response
    markPreview(request.headers, answered.headers)
    return answered
  }

interface Event {
  readonly request: Pick<CloudFrontRequest, 'method' | 'headers'>
  readonly response: CloudFrontResponse
}

/** A 304 and a part are refused, too: this condition comes before theirs. */
function isRefused({ headers }: Event['request'], { statusCode, headers: given }: CloudFrontResponse) {
  const condition = (name: string) =>
    conditionHeaders.indexOf(name) < 0 ? undefined : headerText(headers[onTheWay(name)])
  const isAnswer = statusCode === 200 || statusCode === 206 || statusCode === 304
  const valueOf = (name: string) => headerText(given[name]) || ''
  return isAnswer && verdictOf(condition, valueOf('etag'), valueOf('last-modified')) === 'failed'
}

function refusalOf({ method }: Event['request'], { headers: given }: CloudFrontResponse): CloudFrontResponse {
  const { status, headers, body } = preconditionFailed({
    'Content-Type': headerText(given['content-type']) || '',
    Vary: headerText(given['vary']) || '',
  })
  const all: CloudFrontHeaders = {}
  // A function may not take away what CloudFront sets itself.
  if (given['via']) all['via'] = given['via']
  Object.keys(headers).forEach((name) => {
    all[name.toLowerCase()] = { value: headers[name] as string }
  })
  const refusal = { statusCode: status, headers: all }
  return method === 'HEAD' || body.kind !== 'text'
    ? refusal
    : Object.assign(refusal, { body: { encoding: 'text' as const, data: body.text } })
}

function complete(
  { statusCode, headers }: CloudFrontResponse,
  settings: EdgeSettings,
  { path, since, wanted }: Note,
): void {
  const ours = wanted ? documentHeaders(settings, path, wanted) : pageHeaders(settings, path)
  Object.keys(headers).forEach((name) => {
    if (/^x-amz-|^accept-ranges$/.test(name)) delete headers[name]
  })
  Object.keys(ours).forEach((name) => {
    if (statusCode !== 304 || !/^Content-/.test(name))
      headers[name.toLowerCase()] = { value: ours[name] as string }
  })
  // Only an uncompressed answer has the length of the document, and a part names it in another header.
  const length = headers['content-range'] || headers['content-length']
  const plainLength = length && !headers['content-encoding'] ? Number(length.value.split('/').pop()) : null
  if (mayBeCoded(ours['Content-Type'] || '', plainLength))
    headers['vary'] = { value: varyByCoding(ours['Vary']) }
  // A bucket may leave the time out of a 304; no answer is older than its snapshot.
  const modified = headers['last-modified'] || (statusCode === 304 && { value: '' })
  if (modified)
    headers['last-modified'] = { value: lastModifiedOf(Date.parse(modified.value) || 0, since * 1000) }
}

/**
 * The viewer-response function of CloudFront: gives what comes out of the bucket the headers of an answer. It sees the
 * request as the viewer-request function has left it, and runs for statuses below 400 only.
 */

import { documentHeaders, pageHeaders, type EdgeSettings } from '../answer.ts'
import { mayBeCoded, varyByCoding } from '../coding.ts'
import { noteHeader, type CloudFrontRequest, type CloudFrontResponse, type Note } from './cloudfront-event.ts'

type Handler = (event: {
  readonly request: Pick<CloudFrontRequest, 'headers'>
  readonly response: CloudFrontResponse
}) => CloudFrontResponse

export function viewerResponse(settings: EdgeSettings): Handler {
  return ({ request, response }) => {
    const note = request.headers[noteHeader]
    // Of a bucket's; the Lambda gives whole answers.
    if (note) complete(response, settings, JSON.parse(note.value) as Note)
    return response
  }
}

function complete(
  { statusCode, headers }: CloudFrontResponse,
  settings: EdgeSettings,
  { path, liveSince, wanted }: Note,
): void {
  const ours = wanted ? documentHeaders(settings, path, wanted) : pageHeaders(settings, path)
  Object.keys(headers).forEach((name) => {
    if (/^x-amz-|^accept-ranges$/.test(name)) delete headers[name]
  })
  Object.keys(ours).forEach((name) => {
    if (statusCode !== 304 || !/^Content-/.test(name))
      headers[name.toLowerCase()] = { value: ours[name] as string }
  })
  // A length is told of what is not compressed.
  const length = headers['content-length']
  const plainLength = length && !headers['content-encoding'] ? Number(length.value) : null
  if (mayBeCoded(ours['Content-Type'] || '', plainLength))
    headers['vary'] = { value: varyByCoding(ours['Vary']) }
  const modified = headers['last-modified']
  // After a rollback older objects are live: a client's copy of the newer ones must not pass for one of these.
  if (modified && Date.parse(modified.value) < liveSince * 1000)
    headers['last-modified'] = { value: new Date(liveSince * 1000).toUTCString() }
}

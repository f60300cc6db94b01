/** The viewer-response function of CloudFront: adds headers to answers of the bucket, for statuses below 400 only. */

import { documentHeaders, pageHeaders, type EdgeSettings } from '../core/answer.ts'
import { mayBeCoded, varyByCoding } from '../core/finish.ts'
import { lastModifiedOf } from '../core/live.ts'
import {
  markPreview,
  noteHeader,
  type CloudFrontRequest,
  type CloudFrontResponse,
  type Note,
} from './event.ts'

export const viewerResponse =
  (settings: EdgeSettings) =>
  ({ request, response }: { request: Pick<CloudFrontRequest, 'headers'>; response: CloudFrontResponse }) => {
    const note = request.headers[noteHeader]
    // Without a note the answer is the Lambda's, with all its headers.
    if (note) complete(response, settings, JSON.parse(note.value) as Note)
    markPreview(request.headers, response.headers)
    return response
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
  const modified = headers['last-modified']
  if (modified) headers['last-modified'] = { value: lastModifiedOf(Date.parse(modified.value), since * 1000) }
}

/** A request as a line that can be pasted into a shell. */

import { shellText } from '../shell/shell-text.ts'
import type { Asked } from './client.ts'

export function curl(base: string, { method = 'GET', target, headers = {}, body }: Asked): string {
  const words = ['curl', '-sS', '-i', '--path-as-is', '--globoff']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', shellText(method))
  // An empty header is one that ends in a semicolon to curl.
  for (const [name, value] of Object.entries(headers)) {
    words.push('-H', shellText(value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (body !== undefined) words.push('--data-raw', shellText(body))
  return [...words, shellText(base + target)].join(' ')
}

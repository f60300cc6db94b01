/** How old an answer may be, in words, from the settings of the edge. */

import type { AnswerCaching } from '../../core/api/contract/page.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { docWords } from './wording.ts'

/** @returns sentences without markup */
export function answerAge(
  { cacheControl, errorCacheControl, liveTtlSeconds }: AnswerCaching,
  language: Language,
) {
  const w = docWords[language].age
  const time = (seconds: number) => durationIn(seconds, language)
  const answers = directivesOf(cacheControl)
  const errors = directivesOf(errorCacheControl)
  return [
    w.answers(time(liveTtlSeconds + answers.maxAge)),
    ...(answers.whileRevalidate > 0 ? [w.whileRevalidate(time(answers.whileRevalidate))] : []),
    ...(answers.ifError > 0 ? [w.ifError(time(answers.ifError))] : []),
    w.errors(time(liveTtlSeconds + errors.maxAge)),
  ]
}

/** Seconds that caches may keep a response, the private ones as long as the shared. Source: RFC 9111, 5.2.2; RFC 5861. */
function directivesOf(cacheControl: string) {
  const directives = new Map(
    cacheControl.split(',').map((part) => {
      const [name = '', value = ''] = part.trim().toLowerCase().split('=')
      return [name, Number(value.replaceAll('"', ''))]
    }),
  )
  const seconds = (name: string) => directives.get(name) ?? 0
  const isKept = !directives.has('no-store') && !directives.has('no-cache')
  return {
    maxAge: isKept ? Math.max(seconds('max-age'), seconds('s-maxage')) : 0,
    whileRevalidate: isKept ? seconds('stale-while-revalidate') : 0,
    ifError: isKept ? seconds('stale-if-error') : 0,
  }
}

function durationIn(seconds: number, language: Language): string {
  const w = docWords[language].age
  const parts = [
    [Math.floor(seconds / 86_400), w.days],
    [Math.floor(seconds / 3600) % 24, w.hours],
    [Math.floor(seconds / 60) % 60, w.minutes],
    [seconds % 60, w.seconds],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, say]) => say(count))
  return shown.length === 0 ? w.seconds(0) : shown.join(' ')
}

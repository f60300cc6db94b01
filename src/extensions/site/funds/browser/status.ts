/** Facts that no file of a snapshot has: when it went live, and the staged snapshot. */

import { dayIn } from '../../../../core/layout/formats.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'

/** The day in the reader's time zone. */
function dayOf(date: Date): string {
  const part = (number: number) => String(number).padStart(2, '0')
  return dayIn(language, `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`)
}

/** The time of day and its age: `18:05, 3 hours ago`. */
function timeAndAge(date: Date): string {
  const minutes = Math.max(0, Math.floor((Date.now() - date.getTime()) / 60_000))
  const [age, unit] =
    minutes < 120
      ? ([minutes, 'minute'] as const)
      : minutes < 2880
        ? ([Math.floor(minutes / 60), 'hour'] as const)
        : ([Math.floor(minutes / 1440), 'day'] as const)
  const locale = language === 'de' ? 'de' : 'en-GB'
  const time = date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  return `${time}, ${new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-age, unit)}`
}

function show(id: string, value: string, remark: string): void {
  const place = document.getElementById(id)
  const [first, below] = place?.querySelectorAll('dd') ?? []
  if (place === null || first === undefined || below === undefined) return
  first.textContent = value
  below.textContent = remark
  place.hidden = false
  place.classList.remove('awaited')
}

// The edge sends as Last-Modified when the snapshot went live.
const live = new Date(document.lastModified)
if (!Number.isNaN(live.getTime())) show('live', dayOf(live), timeAndAge(live))

interface Staged {
  readonly snapshot: string
  readonly as_of: string
  readonly staged_since: string
}

/** @throws {Error} if the server does not say */
async function showStaged(): Promise<void> {
  const response = await fetch('staged.json')
  if (!response.ok) throw new Error(String(response.status))
  const { staged } = (await response.json()) as { readonly staged: Staged | null }
  if (staged === null) return
  const remark = `${staged.snapshot}: ${timeAndAge(new Date(staged.staged_since))}`
  show('staged', dayIn(language, staged.as_of), remark)
}

if (location.protocol !== 'file:') {
  showStaged().catch(() => {
    show('staged', '–', document.getElementById('staged')?.dataset['failed'] ?? '')
  })
}

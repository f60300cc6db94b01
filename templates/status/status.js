const language = document.documentElement.lang === 'de' ? 'de' : 'en-GB'
const dayOf = (date, timeZone) => date.toLocaleDateString(language, { dateStyle: 'medium', timeZone })

/** The time of day, and how long ago that was: "18:05, 3 hours ago". */
const timeAndAge = (date) => {
  const minutes = Math.max(0, Math.floor((Date.now() - date.getTime()) / 60_000))
  const [age, unit] =
    minutes < 120
      ? [minutes, 'minute']
      : minutes < 2880
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / 1440), 'day']
  const time = date.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  return `${time}, ${new Intl.RelativeTimeFormat(language).format(-age, unit)}`
}

/** Fills a figure in and shows it. */
const show = (place, value, remark) => {
  const [first, below] = place.querySelectorAll('dd')
  first.textContent = value
  below.textContent = remark
  place.hidden = false
}

// When the snapshot went live is in none of its files, since they have no clock: the answer says it as Last-Modified.
;(() => {
  const place = document.getElementById('live')
  const live = new Date(document.lastModified)
  if (place !== null && !Number.isNaN(live.getTime())) show(place, dayOf(live), timeAndAge(live))
})()

// What is staged is in no snapshot either: the edge says it.
;(async () => {
  if (location.protocol === 'file:') return
  const response = await fetch('staged.json')
  const { staged } = await response.json()
  if (staged === null) return
  const { snapshot, as_of: asOf, staged_since: since } = staged
  show(
    document.getElementById('staged'),
    dayOf(new Date(asOf), 'UTC'),
    `${snapshot}: ${timeAndAge(new Date(since))}`,
  )
})().catch(() => undefined)

// When the snapshot went live is in none of its files, since they have no clock: the answer says it as Last-Modified.
;(() => {
  const place = document.getElementById('live')
  const live = new Date(document.lastModified)
  const language = document.documentElement.lang === 'de' ? 'de' : 'en-GB'
  const minutes = Math.max(0, Math.floor((Date.now() - live.getTime()) / 60_000))
  if (place === null || Number.isNaN(minutes)) return
  const [age, unit] =
    minutes < 120
      ? [minutes, 'minute']
      : minutes < 2880
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / 1440), 'day']
  const time = live.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  const ago = new Intl.RelativeTimeFormat(language).format(-age, unit)
  const [day, below] = place.querySelectorAll('dd')
  day.textContent = live.toLocaleDateString(language, { dateStyle: 'medium' })
  below.textContent = `${time}, ${ago}`
  place.hidden = false
})()

// Who publishes a snapshot publishes a feed of its changes beside it; in a folder there is none to lead to.
;(async () => {
  const place = document.getElementById('feed')
  if (location.protocol === 'file:') return
  const response = await fetch(place.dataset.address)
  await response.text()
  if (!response.ok) return
  const link = document.createElement('a')
  link.href = place.dataset.address
  link.append(...place.childNodes)
  place.append(link)
  place.hidden = false
})().catch(() => undefined)

// What pages can do without, and are better with: a button at each block of code that copies it, headings that are links to
// their sections, a language or a format that is chosen once for all pages, links to files where there is no server.
;(() => {
  const words = {
    en: { copy: 'Copy', copied: '✓ Copied' },
    de: { copy: 'Kopieren', copied: '✓ Kopiert' },
  }[document.documentElement.lang]

  // Without a secure context (plain HTTP) or a permission there is no clipboard: then what is selected is copied.
  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      getSelection().selectAllChildren(code)
      document.execCommand('copy')
    }
  }

  for (const block of document.querySelectorAll('.code[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    let back
    const say = (text, isDone) => {
      button.textContent = text
      button.classList.toggle('copied', isDone)
    }
    say(words.copy, false)
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      await copy(block.querySelector('code'))
      say(words.copied, true)
      clearTimeout(back)
      back = setTimeout(() => say(words.copy, false), 2000)
    })
    block.append(button)
  }

  for (const heading of document.querySelectorAll('main :is(h2, h3)[id]')) {
    if (heading.querySelector('a') !== null) continue
    const link = document.createElement('a')
    link.className = 'anchor'
    link.href = `#${heading.id}`
    link.append(...heading.childNodes)
    heading.append(link)
  }

  // A browser may keep nothing: then a choice is that of its page.
  const storage = (task) => {
    try {
      return task(localStorage)
    } catch {
      return null
    }
  }
  const choose = (kind, value) => {
    for (const input of document.querySelectorAll(`[data-remembered=${kind}] > input`))
      if (input.value === value) input.checked = true
  }
  for (const kind of ['program', 'format'])
    choose(
      kind,
      storage((kept) => kept.getItem(kind)),
    )
  document.addEventListener('change', ({ target }) => {
    const kind = target.parentElement.dataset.remembered
    if (kind === undefined) return
    // Panels above grow or shrink, too: what was chosen stays where it is.
    const { top } = target.getBoundingClientRect()
    choose(kind, target.value)
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' })
    storage((kept) => kept.setItem(kind, target.value))
  })

  // In a folder an answer is a file with the name that it has in a snapshot; what is asked for in error has none.
  const links = location.protocol === 'file:' ? document.querySelectorAll('main a[href*="/api/v"]') : []
  for (const link of links) {
    const [, folder, dates = 'index', query] =
      /^([^?]*?\/)(\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d\/)?(?:\?(.*))?$/.exec(link.getAttribute('href')) ?? []
    const parameters = new URLSearchParams(query)
    const ending = [parameters.get('language'), parameters.get('format') ?? 'json']
    const name = [dates === 'index' ? dates : dates.slice(0, 4), ...ending].filter((part) => part !== null)
    if (folder === undefined || link.closest('.links') === null) link.removeAttribute('href')
    else link.setAttribute('href', folder + name.join('.'))
  }
})()

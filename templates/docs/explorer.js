// Sends what the forms say to the server of this page, and shows the request and the response below each.
;(() => {
  const explorer = document.getElementById('explorer')
  if (location.protocol === 'file:') {
    document.getElementById('from-folder').hidden = false
    return
  }
  /** Characters that a page shows at once: a longer text makes it slow. */
  const most = 100_000

  /** An input is a part of the path, a choice with a value one of the query. */
  function addressOf(form) {
    let path = form.dataset.path
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(form)) {
      if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value.trim()))
      else if (value !== '') query.set(name, value)
    }
    const url = new URL(explorer.dataset.root + path.slice(1), location.href.split('#')[0])
    url.search = query
    return url
  }

  /** On its text: an object would put keys that look like numbers first. */
  function indented(json) {
    let depth = 0
    const line = () => `\n${'  '.repeat(depth)}`
    return json.replace(/"(?:\\.|[^"\\])*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
      if (token.length > 1) return token
      if (token === ':') return ': '
      if (token === ',') return token + line()
      depth += '{['.includes(token) ? 1 : -1
      return '{['.includes(token) ? token + line() : line() + token
    })
  }

  /** As in the documentation: names, texts and numbers of JSON have colours. A tag of XML has that of a name. */
  function coloured(text, type) {
    const pattern = type.includes('json')
      ? /("(?:\\.|[^"\\])*")(?=\s*:)|("(?:\\.|[^"\\])*")|(-?\b\d[\d.eE+-]*\b|\btrue\b|\bfalse\b|\bnull\b)/g
      : type.includes('xml')
        ? /(<[^>]*>)/g
        : /$^/g
    const made = document.createDocumentFragment()
    let from = 0
    for (const match of text.matchAll(pattern)) {
      made.append(
        text.slice(from, match.index),
        part(['k', 's', 'n'][match.slice(1).findIndex(Boolean)], match[0]),
      )
      from = match.index + match[0].length
    }
    made.append(text.slice(from))
    return made
  }

  function part(kind, text) {
    const made = document.createElement('span')
    made.className = kind
    made.textContent = text
    return made
  }

  /** A line may break after each slash of an address, and within none of its parts. */
  function address(text) {
    const made = part('s', '')
    for (const piece of text.split(/(?<=\/)(?=[^/])/))
      made.append(piece.includes('-') ? part('whole', piece) : piece, document.createElement('wbr'))
    return made
  }

  async function send(form) {
    const [state, result] = [form.nextElementSibling, form.parentElement.querySelector('.result')]
    const [request, response, headers] = result.querySelectorAll('code')
    const url = addressOf(form)
    state.textContent = explorer.dataset.waiting
    const began = performance.now()
    try {
      const answer = await fetch(url)
      const body = await answer.text()
      const isCompact = answer.headers.get('content-type')?.includes('json') && !body.includes('\n')
      const text = isCompact ? indented(body) : body
      request.replaceChildren('curl ', address(`'${url.href.replaceAll("'", '%27')}'`))
      const type = answer.headers.get('content-type') ?? ''
      response.replaceChildren(coloured(text.slice(0, most), type))
      const lines = [...answer.headers].flatMap(([name, value]) => [part('k', name), `: ${value}\n`])
      headers.replaceChildren(...lines)
      const status = `${answer.status} ${answer.statusText}`.trim()
      const took = `${status} · ${Math.round(performance.now() - began)} ms`
      state.textContent = text.length > most ? `${took}. ${explorer.dataset.tooLong}` : took
      result.hidden = false
    } catch {
      state.textContent = explorer.dataset.failed
      result.hidden = true
    }
  }

  for (const form of explorer.querySelectorAll('form')) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
  }

  /** An address may name an operation. */
  const open = () => {
    const operation = document.getElementById(location.hash.slice(1))
    if (operation?.matches('.operation')) operation.open = true
  }
  addEventListener('hashchange', open)
  open()
})()

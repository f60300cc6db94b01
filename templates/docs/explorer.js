// Starts the explorer on the description of the very snapshot that this page belongs to. Its library is large, so it is loaded
// when a reader chooses an operation, or comes with the address of one.
;(() => {
  const place = document.getElementById('explorer')
  const list = document.getElementById('operation-list')
  const state = document.getElementById('explorer-state')
  if (location.protocol === 'file:') {
    document.getElementById('from-folder').hidden = false
    return
  }
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', follow)
  follow()

  // A link within the button that opens an operation: neither keyboard nor screen reader can make sense of it.
  const withoutNestedLinks = () => ({
    wrapComponents: {
      DeepLink: (_, { React }) =>
        function Path({ text }) {
          return React.createElement('span', null, text)
        },
    },
  })
  // The page has a main part already, and the library's lies within it.
  const withoutMain = (React, node) => {
    if (!React.isValidElement(node)) return node
    const { children, ...props } = node.props
    const inner = [children].flat().map((child) => withoutMain(React, child))
    return React.createElement(
      node.type === 'main' ? 'div' : node.type,
      { ...props, key: node.key },
      ...inner,
    )
  }
  let Layout
  const withOneMain = () => ({
    wrapComponents: {
      BaseLayout: (Guarded, { React }) =>
        class extends Guarded {
          render() {
            // The layout is inside what catches its errors.
            const guard = super.render()
            const { type: Original, props } = guard.props.children
            Layout ??= class extends Original {
              render() {
                return withoutMain(React, super.render())
              }
            }
            return React.cloneElement(guard, {}, React.createElement(Layout, props))
          }
        },
    },
  })
  // What the library gives no name, and what it lets nobody reach who has no mouse.
  const nameOf = (select) =>
    select.closest('tr[data-param-name]')?.dataset.paramName ??
    (select.id === 'servers' ? 'Server' : select.className.includes('example') ? 'Example' : 'Media type')
  const nameControls = () => {
    for (const select of place.querySelectorAll('select:not([aria-label])'))
      select.setAttribute('aria-label', nameOf(select))
    for (const pre of place.querySelectorAll('pre:not([tabindex])')) pre.tabIndex = 0
  }
  new MutationObserver(nameControls).observe(place, { childList: true, subtree: true })

  /** The link that was chosen goes away: the operation it has opened gets the focus instead. */
  const moveFocus = () => {
    const control = place.querySelector('.opblock.is-open .opblock-summary-control')
    if (control === null || document.activeElement !== document.body) return
    control.focus({ preventScroll: true })
    moved.disconnect()
  }
  const moved = new MutationObserver(moveFocus)

  const start = () => {
    list.hidden = true
    state.textContent = ''
    moved.observe(place, { childList: true, subtree: true })
    const explorer = globalThis.SwaggerUIBundle({
      domNode: place,
      url: new URL(place.dataset.description, location.href).href,
      deepLinking: true,
      // A badge of another host's, otherwise.
      validatorUrl: null,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      // Its colours are for a dark ground only.
      syntaxHighlight: false,
      plugins: [withoutNestedLinks, withOneMain],
      presets: [globalThis.SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      // Not the published one, which comes first: a preview shows its own answers.
      onComplete: () => explorer.oas3Actions.setSelectedServer('.'),
    })
  }

  const loaded = (element, put) =>
    new Promise((resolve, reject) => {
      element.addEventListener('load', resolve)
      element.addEventListener('error', reject)
      put(element)
    })
  /** Whichever of the two comes first, nothing is drawn without the other. */
  const load = () => {
    const style = Object.assign(document.createElement('link'), {
      rel: 'stylesheet',
      href: place.dataset.style,
    })
    const script = Object.assign(document.createElement('script'), { src: place.dataset.script })
    const own = document.querySelector('link[href$="explorer.css"]')
    return Promise.all([
      // Its rules come before those that change them.
      loaded(style, (element) => own.before(element)),
      loaded(script, (element) => document.head.append(element)),
    ])
  }

  let isWanted = false
  const open = async () => {
    if (isWanted || !location.hash.startsWith('#/')) return
    isWanted = true
    state.textContent = state.dataset.loading
    try {
      await load()
      start()
    } catch {
      isWanted = false
      state.textContent = state.dataset.failed
    }
  }
  for (const link of list.querySelectorAll('a')) {
    link.href = `#/${link.dataset.operation}`
    // The same operation once more, after a failure.
    link.addEventListener('click', () => setTimeout(open))
  }
  addEventListener('hashchange', open)
  void open()
})()

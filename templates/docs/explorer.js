// Starts the explorer on the description of the very snapshot that this page belongs to.
;(() => {
  const place = document.getElementById('explorer')
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
    plugins: [withoutNestedLinks],
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    // Not the published one, which comes first: a preview shows its own answers.
    onComplete: () => explorer.oas3Actions.setSelectedServer('.'),
  })
})()

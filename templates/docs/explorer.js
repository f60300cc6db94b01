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
  globalThis.SwaggerUIBundle({
    domNode: place,
    url: new URL(place.dataset.description, location.href).href,
    deepLinking: true,
    // A badge of another host's, otherwise.
    validatorUrl: null,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    requestSnippetsEnabled: false,
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
  })
})()

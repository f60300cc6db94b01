// What pages can do without, and are better with: a button at each block of code that copies it.
;(() => {
  const words = {
    en: { copy: 'Copy', copied: 'Copied' },
    de: { copy: 'Kopieren', copied: 'Kopiert' },
  }[document.documentElement.lang]

  // Without a secure context (plain HTTP) there is no clipboard: then what is selected is copied.
  const copy = async (code) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
    getSelection().selectAllChildren(code)
    document.execCommand('copy')
  }

  for (const block of document.querySelectorAll('.code[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = words.copy
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      await copy(block.querySelector('code'))
      button.textContent = words.copied
      setTimeout(() => (button.textContent = words.copy), 2000)
    })
    block.append(button)
  }
})()

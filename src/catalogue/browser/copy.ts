/** A button that copies each block of code. */

export function copyButtons(root: ParentNode): void {
  const [copy, copied] = document.documentElement.lang === 'de' ? ['Kopieren', 'Kopiert'] : ['Copy', 'Copied']
  for (const block of root.querySelectorAll('.code')) {
    const code = block.querySelector('code')
    if (code === null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = copy
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', () => {
      void copyText(code).then((isCopied) => {
        if (!isCopied) return
        button.textContent = copied
        setTimeout(() => (button.textContent = copy), 2000)
      })
    })
    block.append(button)
  }
}

/** Over plain HTTP there is no clipboard, whatever the type says: then the text is selected. @returns whether it is copied */
async function copyText(code: Element): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard === undefined) getSelection()?.selectAllChildren(code)
  else await clipboard.writeText(code.textContent)
  return clipboard !== undefined
}

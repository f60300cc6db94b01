/** A button that copies each block of code, where the browser lets a page write to the clipboard. */

export function copyButtons(root: ParentNode): void {
  // Missing where the page came over plain HTTP, whatever the type says.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard === undefined) return
  const [copy, copied] = document.documentElement.lang === 'de' ? ['Kopieren', 'Kopiert'] : ['Copy', 'Copied']
  for (const block of root.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = copy
    button.addEventListener('click', () => {
      const text = block.querySelector('code')?.textContent ?? ''
      void clipboard.writeText(text).then(() => {
        button.textContent = copied
        setTimeout(() => (button.textContent = copy), 2000)
      })
    })
    block.append(button)
  }
}

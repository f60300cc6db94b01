/** The buttons that copy the code beside them. */

/** In each element whose code may be copied: `<div class="code" data-copy>`. */
export function addCopyButtons(): void {
  const isGerman = document.documentElement.lang === 'de'
  const copy = isGerman ? 'Kopieren' : 'Copy'
  const copied = isGerman ? '✓ Kopiert' : '✓ Copied'
  for (const block of document.querySelectorAll('[data-copy]')) {
    const code = block.querySelector('code')
    if (code === null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.setAttribute('aria-live', 'polite')
    let back: ReturnType<typeof setTimeout> | undefined
    const say = (text: string, isDone: boolean) => {
      button.textContent = text
      button.classList.toggle('copied', isDone)
    }
    say(copy, false)
    button.addEventListener('click', () => {
      void copyText(code).then((isCopied) => {
        if (!isCopied) return
        say(copied, true)
        clearTimeout(back)
        back = setTimeout(() => say(copy, false), 2000)
      })
    })
    block.append(button)
  }
}

/**
 * Over plain HTTP there is no clipboard, despite its type, and a browser may refuse it: then the text is selected, and the browser
 * may still copy what is selected. @returns true if it is copied
 */
async function copyText(code: Element): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  try {
    if (clipboard === undefined) throw new Error('there is no clipboard')
    await clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The only way that such a browser has.
    return document.execCommand('copy')
  }
}

/** A message, with a button for what can be done about it where there is one: for an element that screen readers follow (`role=status`). */
export function messageWith(
  text: string | readonly (Node | string)[],
  way?: { readonly label: string; readonly press: () => void },
): readonly (Node | string)[] {
  const parts = [text].flat()
  if (way === undefined) return parts
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = way.label
  button.addEventListener('click', way.press)
  return [...parts, ' ', button]
}

/** A message, with the button of another try where there is one: for an element that screen readers follow (`role=status`). */
export function messageWith(
  text: string,
  again?: { readonly label: string; readonly press: () => void },
): readonly (Node | string)[] {
  if (again === undefined) return [text]
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = again.label
  button.addEventListener('click', again.press)
  return [`${text} `, button]
}

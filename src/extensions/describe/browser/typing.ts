/** Whether a slash is a letter where a key is pressed. The field of a dialog that has just closed keeps the focus for a moment. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type="radio"]), textarea, select') &&
  target.checkVisibility()

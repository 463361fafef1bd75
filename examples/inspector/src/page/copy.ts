import { element } from './element.js'

/** A value with a button that copies it. `what` names it for screen readers. */
export function copyable(value: string, what: string): HTMLElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy')
  button.addEventListener('click', () => copy(value, what, button))
  return element('span', { class: 'copyable' }, element('code', {}, value), button)
}

async function copy(value: string, what: string, button: HTMLButtonElement): Promise<void> {
  const done = await navigator.clipboard.writeText(value).then(
    () => true,
    () => false,
  )
  button.textContent = done ? 'Copied' : 'Refused'
  say(done ? `Copied ${what}` : `The browser refused to copy ${what}`)
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}

function say(message: string): void {
  const status = document.querySelector('#status')
  if (status) status.textContent = message
}

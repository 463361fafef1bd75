import { KNOWN } from './families.js'
import { element } from './page/element.js'
import { fitChoice } from './page/fit-choice.js'
import { inspection } from './page/inspection.js'
import { refusals } from './page/refusals.js'
import { bare, type Fit, misfits, recognise } from './recognise.js'

const part = <Part extends Element>(selector: string): Part => {
  const found = document.querySelector<Part>(selector)
  if (!found) throw new Error(`The page has no ${selector}`)
  return found
}

const input = part<HTMLInputElement>('#pasted')
const fitsPart = part('#fits')
const inspectionPart = part('#inspection')
const status = part('#status')

/** The address names the id, so that a link leads to it. */
const fromAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('id') ?? ''

function show(pasted: string): void {
  const fits = recognise(pasted)
  fitsPart.replaceChildren(...(fits.length > 0 ? [fitChoice(fits, choose)] : []))
  const [likeliest] = fits
  if (likeliest) choose(likeliest)
  else refuse(pasted)
  status.textContent = fits.length === 0 ? '' : `Fits ${fits.map(({ family }) => family.name).join(', ')}`
}

const choose = (fit: Fit): void => inspectionPart.replaceChildren(...inspection(fit))

const refuse = (pasted: string): void =>
  inspectionPart.replaceChildren(...(bare(pasted) === '' ? [] : [refusals(misfits(pasted))]))

function showAndLink(pasted: string): void {
  history.replaceState(null, '', `#${new URLSearchParams({ id: bare(pasted) })}`)
  show(pasted)
}

function put(pasted: string): void {
  input.value = pasted
  showAndLink(pasted)
}

for (const { family, make } of KNOWN) {
  const button = element('button', { type: 'button' }, family.name)
  button.addEventListener('click', () => put(make()))
  part('#makers').append(button)
}
input.addEventListener('input', () => showAndLink(input.value))
addEventListener('hashchange', () => put(fromAddress()))
if (location.hash) put(fromAddress())

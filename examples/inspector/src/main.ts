import { type IdReading, readings, refusals } from '@snoflax/core/inspect'
import { FAMILIES, KNOWN, titleOf } from './families.js'
import { element } from './page/element.js'
import { fitChoice } from './page/fit-choice.js'
import { inspection } from './page/inspection.js'
import { refused } from './page/refused.js'
import { bare } from './pasted.js'

const part = <Part extends Element>(selector: string): Part => {
  const found = document.querySelector<Part>(selector)
  if (!found) throw new Error(`The page has no ${selector}`)
  return found
}

const input = part<HTMLInputElement>('#pasted')
const fitsPart = part('#fits')
const inspectionPart = part('#inspection')
const status = part('#status')

/** What a reader sees first. */
const EXAMPLE = 'cus_Kpcan0M1FakODT4k'

/** The address contains the id, so that it can be linked. */
const fromAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('id') ?? ''

function show(pasted: string): void {
  const text = bare(pasted)
  const fits = readings(text, FAMILIES)
  fitsPart.replaceChildren(...(fits.length > 0 ? [fitChoice(fits, choose)] : []))
  const [likeliest] = fits
  if (likeliest) choose(likeliest)
  else refuse(text)
  status.textContent = fits.length === 0 ? '' : `Fits ${fits.map(({ family }) => titleOf(family)).join(', ')}`
}

const choose = (fit: IdReading): void => inspectionPart.replaceChildren(...inspection(fit))

const refuse = (text: string): void =>
  inspectionPart.replaceChildren(...(text === '' ? [] : [refused(refusals(text, FAMILIES))]))

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
else {
  input.value = EXAMPLE
  show(EXAMPLE)
}

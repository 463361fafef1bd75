type Child = Node | string

/** An element with its attributes and children. Strings become text nodes, so pasted HTML is never interpreted. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** A section of the page, labelled by its heading. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  const id = `about-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...children)
}

/** A table that scrolls on its own in a narrow window. */
export function table(label: string, head: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const header = element('tr', {}, ...head.map((title) => element('th', { scope: 'col' }, title)))
  const grid = element('table', {}, element('thead', {}, header), element('tbody', {}, ...rows))
  return element('div', { class: 'scroll', role: 'group', 'aria-label': label, tabindex: '0' }, grid)
}

/** A row whose first cell names it. */
export function row(name: Child, ...cells: readonly Child[]): HTMLTableRowElement {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    ...cells.map((cell) => element('td', {}, cell)),
  )
}

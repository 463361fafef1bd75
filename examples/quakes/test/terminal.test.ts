import { describe, expect, it } from 'vitest'
import { bar } from '#quakes/terminal/bar'
import { coloured, plain, wantsColour } from '#quakes/terminal/colour'
import { Screen } from '#quakes/terminal/screen'
import { table } from '#quakes/terminal/table'

describe('wantsColour', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('terminal %s, %o: %s', (isTerminal, settings, expected) => {
    expect(wantsColour(isTerminal, settings)).toBe(expected)
  })
})

describe('bar', () => {
  it('is exact to an eighth of a character', () => {
    expect(bar(0, 8, 1)).toBe('')
    expect(bar(1, 8, 1)).toBe('▏')
    expect(bar(1, 3, 1)).toBe('▍')
    expect(bar(7, 8, 1)).toBe('▉')
    expect(bar(8, 8, 1)).toBe('█')
    expect(bar(3, 4, 10)).toBe('███████▌')
    expect(bar(0, 0, 10)).toBe('')
  })
})

describe('table', () => {
  const columns = [{ title: 'id' }, { title: 'rows', align: 'right' }, { title: '' }] as const

  it('aligns cells by their visible width', () => {
    const rows = (paint: typeof plain) => [
      [paint('cyan', 'flax'), '7', '×'],
      ['uidLocal', paint('red', '1,707'), ''],
    ]
    const expected = ['id         rows', 'flax          7  ×', 'uidLocal  1,707']
    expect(table(plain, columns, rows(plain))).toEqual(expected)
    expect(table(plain, columns, rows(coloured))).toEqual([
      expected[0],
      '\u001b[36mflax\u001b[39m          7  ×',
      'uidLocal  \u001b[31m1,707\u001b[39m',
    ])
  })
})

describe('Screen', () => {
  const screenOn = (terminal: { isTTY?: boolean; columns?: number }, settings = {}) => {
    let written = ''
    let nowMs = 0
    const write = (text: string) => {
      written += text
    }
    const screen = new Screen({ ...terminal, write }, settings, () => nowMs)
    return {
      screen,
      wait: (ms: number) => {
        nowMs += ms
      },
      read: () => written,
    }
  }

  it('updates one line of progress on a terminal and clears it before it prints', () => {
    const { screen, read } = screenOn({ isTTY: true }, { NO_COLOR: '1' })
    screen.progress(1, 4, 'flax')
    screen.progress(2, 4, 'sno')
    screen.print('done')
    screen.print('more')
    const rest = '░'.repeat(12)
    expect(read()).toBe(
      `\r\u001b[K██████${rest}░░░░░░ 1 of 4  flax\r\u001b[K████████████${rest} 2 of 4  sno\r\u001b[Kdone\nmore\n`,
    )
  })

  it('keeps the line of progress shorter than the terminal', () => {
    const { screen, read } = screenOn({ isTTY: true, columns: 30 }, { NO_COLOR: '1' })
    screen.progress(1, 4, 'a table with a long name')
    expect(read()).toBe(`\r\u001b[K██████${'░'.repeat(18)} 1 of`)
  })

  it('prints a plain line occasionally if it is not a terminal', () => {
    const { screen, wait, read } = screenOn({})
    screen.announce('PGlite starts')
    screen.progress(1, 4, 'flax')
    wait(2500)
    screen.progress(0, 4, 'flax')
    screen.progress(2, 4, 'sno')
    wait(2499)
    screen.progress(3, 4, 'uid')
    screen.print('done')
    expect(read()).toBe('… PGlite starts\n… 2 of 4: sno\ndone\n')
  })

  it('does not move the cursor on a dumb terminal', () => {
    const { screen, read } = screenOn({ isTTY: true }, { TERM: 'dumb' })
    screen.announce('PGlite starts')
    expect(read()).toBe('… PGlite starts\n')
  })
})

import { flax, IdError } from '@snoflax/core'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import type { Terminal } from '../terminal.js'

interface Options {
  readonly check?: true
}

export const sealKey = (terminal: Terminal): Command =>
  new Command('seal-key')
    .description('generate a key for @snoflax/seal, or check keys')
    .option('--check', 'check the keys on standard input, one per line, as seal() does')
    .action(async ({ check }: Options) => {
      const { generateSealKey, seal } = await import('@snoflax/seal')
      if (!check) return terminal.print(generateSealKey())
      const keys: string[] = []
      for await (const line of terminal.inputs([])) keys.push(line)
      if (keys.length === 0) throw new UsageError('nothing was checked: standard input is empty')
      try {
        seal(flax, { keys })
        await terminal.print(`${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, all usable`)
      } catch (error) {
        if (!(error instanceof IdError)) throw error
        terminal.complainAbout(error.message)
      }
    })

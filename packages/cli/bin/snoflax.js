#!/usr/bin/env node
import { EXIT, run } from '@snoflax/cli'

// A reader that has enough, such as head, closes the pipe.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  // Node ends with 1 for what nobody caught, which would tell of findings.
  console.error(error)
  process.exitCode = EXIT.usage
}

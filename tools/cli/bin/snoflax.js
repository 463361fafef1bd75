#!/usr/bin/env node
import { run } from 'snoflax'

// A reader that has enough, such as head, closes the pipe.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

process.exitCode = await run(process.argv.slice(2))

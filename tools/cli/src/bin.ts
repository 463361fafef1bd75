import { fileURLToPath } from 'node:url'

/** This command, to start another process of it. */
export const BIN = fileURLToPath(new URL('../bin/snoflax.js', import.meta.url))

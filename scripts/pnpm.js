const PNPM = 'pnpm@12.21.0'

/**
 * The arguments of `npx` that run a line of shell with the pinned pnpm.
 * @param {string} line
 */
export const withPnpm = (line) =>
  // --call, since an outer npx leaves its own in the environment.
  ['--yes', `--package=${PNPM}`, `--call=${line}`]

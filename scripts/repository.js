import { spawnSync } from 'node:child_process'

/** The page of this repository by its git remote `origin`, https or ssh; undefined where none names it. */
export function repositoryPage() {
  const { stdout } = spawnSync('git', ['config', '--get', 'remote.origin.url'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  const [, host, path] =
    /^(?:https?:\/\/|ssh:\/\/|git@)(?:[^@/]*@)?([^/:]+)[/:](.+?)(?:\.git)?\/?\s*$/.exec(stdout ?? '') ?? []
  return host && path && `https://${host}/${path}`
}

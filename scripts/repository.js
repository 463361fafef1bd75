import { spawnSync } from 'node:child_process'

/** The URL of this repository from its git remote `origin`, https or ssh; undefined without one. */
export function repositoryPage() {
  const { stdout } = spawnSync('git', ['config', '--get', 'remote.origin.url'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  const [, host, path] =
    /^(?:https?:\/\/|ssh:\/\/|git@)(?:[^@/]*@)?([^/:]+)[/:](.+?)(?:\.git)?\/?\s*$/.exec(stdout ?? '') ?? []
  return host && path && `https://${host}/${path}`
}

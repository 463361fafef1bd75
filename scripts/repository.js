import { spawnSync } from 'node:child_process'

/**
 * The page of the repository that the git remote `origin` names, by https or ssh; undefined where none does.
 * @param {string} root
 */
export function pageOf(root) {
  const { stdout } = spawnSync('git', ['config', '--get', 'remote.origin.url'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [, host, path] =
    /^(?:https?:\/\/|ssh:\/\/|git@)(?:[^@/]*@)?([^/:]+)[/:](.+?)(?:\.git)?\/?\s*$/.exec(stdout ?? '') ?? []
  return host && path && `https://${host}/${path}`
}

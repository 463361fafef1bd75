export const hooks = {
  // Only better-sqlite3 12 is built, which only a Node without Node-API 10 loads (scripts/better-sqlite3).
  updateConfig(config) {
    config.allowBuilds['better-sqlite3'] = Number(process.versions.napi) < 10
    return config
  },
}

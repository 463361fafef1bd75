const { builtinModules } = require('node:module')

module.exports = {
  resolver: {
    unstable_enablePackageExports: true,
    // Modules that sql.js imports on Node only.
    resolveRequest: (context, name, platform) =>
      builtinModules.includes(name.replace('node:', ''))
        ? { type: 'empty' }
        : context.resolveRequest(context, name, platform),
  },
}

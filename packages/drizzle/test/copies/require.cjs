const { program } = require('./program.cjs')

async function main(how, drizzle) {
  const columns = '@snoflax/drizzle/sqlite-core'
  const ours = how === 'import' ? await import(columns) : require(columns)
  const load = (module) => require(`${drizzle}/${module}`)
  // A folder's own main is not asked for: it could be another copy.
  const core = drizzle.startsWith('/') ? '/index.cjs' : ''
  const result = program(
    ours,
    require(`${drizzle}${core}`),
    load(`sqlite-core${core}`),
    load(`better-sqlite3${core}`),
  )
  console.log(JSON.stringify(result))
}

main(...process.argv.slice(2))

const { program } = require('./program.cjs')

const drizzle = process.argv[2]
if (process.argv[3] === 'hidden') process.getBuiltinModule = undefined
console.log(
  JSON.stringify(
    program(require(drizzle), require(`${drizzle}/sqlite-core`), require(`${drizzle}/better-sqlite3`)),
  ),
)

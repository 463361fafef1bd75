import { loadQuakes } from './data.js'
import { everything } from './everything.js'
import { quakeIds } from './ids.js'
import { hourAfterStrongest } from './questions.js'
import { opening } from './sections/opening.js'
import { readSettings } from './settings.js'
import { Stopwatch } from './stopwatch.js'
import { keyQuakes } from './survey.js'
import { Screen } from './terminal/screen.js'

const { all, weeks } = readSettings()
const screen = new Screen(process.stdout, process.env)
const watch = new Stopwatch()

const quakes = await watch.measure('read the quakes', loadQuakes)
const families = await watch.measure('generate the ids', () =>
  quakeIds(quakes).map((ids) => keyQuakes(ids, quakes)),
)
const hour = hourAfterStrongest(quakes)
screen.print('', ...(await opening(screen.paint, families, hour, 'quakes.db')))

if (!all) {
  screen.print(
    '',
    'The table is in quakes.db. Every family in every storage of SQLite and PostgreSQL, with 676 checks:',
    '',
    screen.paint('cyan', '  npm run demo -- --all'),
  )
} else if (!(await everything(screen, watch, quakes, families, hour, weeks))) process.exitCode = 1

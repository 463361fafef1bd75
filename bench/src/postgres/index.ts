import type { Chapter } from '../report.js'
import { checked, report } from './checks.js'
import { clients } from './clients.js'
import { bounds, decode, encode, time } from './codecs.js'
import { generate } from './generate.js'
import { insert } from './insert.js'
import { orders } from './orders.js'
import { openPlace, type Place } from './place.js'
import { range } from './range.js'
import { manyWriters, oneRow } from './rows.js'
import { size } from './size.js'

export const postgres: Chapter<Place> = {
  name: 'postgres',
  sections: [
    generate,
    encode,
    decode,
    time,
    bounds,
    clients,
    oneRow,
    manyWriters,
    insert,
    checked,
    size,
    orders,
    range,
    report,
  ],
  open: openPlace,
}

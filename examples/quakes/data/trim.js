// Trims earthquakes.json of vega-datasets for the demo: node trim.js earthquakes.json > quakes.jsonl
import { readFileSync } from 'node:fs'

const { features } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

const quakes = features.map(({ id, properties, geometry }) => ({
  code: id,
  timeMs: properties.time,
  magnitude: properties.mag,
  kind: properties.type,
  network: properties.net,
  place: properties.place,
  longitude: geometry.coordinates[0],
  latitude: geometry.coordinates[1],
  depthKm: geometry.coordinates[2],
}))

quakes.sort((a, b) => a.timeMs - b.timeMs)
for (const quake of quakes) console.log(JSON.stringify(quake))

import { register } from 'node:module'

register('./resolve.js', import.meta.url)

import { register } from 'node:module'

register('./resolve-next.js', import.meta.url)

import config from './drizzle.config'

export default { ...config, out: './pulled' }

import type { NextConfig } from 'next'

// Without create-next-app's cacheComponents, which sends the status 200 before a page knows that an id is unknown.
const config: NextConfig = { serverExternalPackages: ['@electric-sql/pglite'] }

export default config

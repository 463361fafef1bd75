import type { NextConfig } from 'next'

const config: NextConfig = { serverExternalPackages: ['sql.js'] }

export default config

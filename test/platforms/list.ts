import type { Platform } from './project.js'

const PNPM = 'npx --yes pnpm@12.21.0'
const YARN = 'npx --yes @yarnpkg/cli-dist@4'

const DRIZZLE = 'drizzle-orm@0.45 sql.js@1 @snoflax/core @snoflax/drizzle'

export const PLATFORMS: readonly Platform[] = [
  {
    name: '`require`',
    folder: 'node',
    made: ['npm init --yes', `npm install ${DRIZZLE}`],
    files: ['javascript'],
    commands: ['node main.cjs'],
  },
  { name: '`import`', folder: 'node', commands: ['node main.mjs'] },
  {
    name: 'ts-node',
    folder: 'node',
    made: [
      'npm install --save-dev typescript@5 ts-node@10 @types/node@20 @types/sql.js',
      'npx tsc --init --module commonjs --types node --verbatimModuleSyntax false',
    ],
    files: ['drizzle'],
    commands: ['npx ts-node main.ts'],
  },
  {
    name: 'tsx',
    folder: 'node',
    made: ['npm install --save-dev tsx@4'],
    commands: ['npx tsx main.ts'],
  },
  {
    name: 'Vitest',
    folder: 'node',
    made: ['npm install --save-dev vitest@4'],
    files: ['vitest'],
    commands: ['npx vitest run --reporter verbose'],
  },
  {
    name: '`typeorm init`, CommonJS',
    folder: 'typeorm-commonjs',
    made: [
      'npx --yes typeorm@1 init --database better-sqlite3 --module commonjs',
      'npm install sql.js@1 @snoflax/core @snoflax/typeorm',
    ],
    files: ['typeorm-init'],
    commands: ['npx tsc --noEmit', 'npm start'],
  },
  {
    name: 'esbuild, minified, for Node',
    folder: 'typeorm-commonjs',
    made: ['npm install --save-dev esbuild@0.28'],
    commands: [
      'npx esbuild src/index.ts --bundle --minify --platform=node --external:sql.js --outfile=bundle.js',
      'node bundle.js',
    ],
  },
  {
    name: '`typeorm init`, ES modules',
    folder: 'typeorm-esm',
    made: [
      'npx --yes typeorm@1 init --database better-sqlite3 --module esm',
      'npm install sql.js@1 @snoflax/core @snoflax/typeorm',
    ],
    files: ['typeorm-init'],
    commands: ['npx tsc --noEmit', 'npm start'],
  },
  {
    name: '`nest new` (11), its Jest (ts-jest)',
    folder: 'nest',
    made: [
      'npx --yes @nestjs/cli@11 new shop --directory . --skip-git --skip-install --package-manager npm',
      'npm install @nestjs/typeorm@11 typeorm@1 sql.js@1 @snoflax/core @snoflax/typeorm @snoflax/validators',
    ],
    files: ['nest'],
    commands: ['npm run build', 'npm test -- --verbose'],
  },
  {
    name: '`nest new` (11), Jest with swc',
    folder: 'nest',
    made: ['npm install --save-dev @swc/core@1 @swc/jest@0.2'],
    files: ['nest-swc'],
    commands: ['npx jest --config jest.swc.json --verbose'],
  },
  {
    name: '`nest new` (12), its Vitest',
    folder: 'nest-12',
    made: [
      'npx --yes @nestjs/cli@12 new shop --directory . --skip-git --skip-install --package-manager npm',
      'npm install @nestjs/typeorm@12 typeorm@1 sql.js@1 @snoflax/core @snoflax/typeorm @snoflax/validators',
    ],
    files: ['nest'],
    commands: ['npm test -- --reporter verbose'],
  },
  {
    name: 'Prisma, CommonJS',
    folder: 'prisma',
    made: [
      'npm init --yes',
      'npm install @prisma/client@7 @electric-sql/pglite@0.5 pglite-prisma-adapter@0.7 @snoflax/core @snoflax/prisma-extension',
      'npm install --save-dev prisma@7 typescript@5 @types/node@20',
      'npx tsc --init --module commonjs --types node --verbatimModuleSyntax false',
    ],
    files: ['prisma'],
    commands: ['npx prisma generate', 'npx tsc', 'node main.js'],
  },
  {
    name: 'Payload',
    folder: 'payload',
    made: ['npm init --yes', 'npm install payload@3 @payloadcms/db-sqlite@3 @snoflax/core'],
    files: ['payload'],
    commands: ['node main.mjs', 'node main.mjs'],
  },
  {
    name: 'Next.js 16 (Turbopack)',
    folder: 'next',
    made: [
      'npx --yes create-next-app@16 . --yes --ts --app --no-eslint --no-tailwind --no-src-dir --skip-install --disable-git',
      `npm install ${DRIZZLE}`,
      'npm install --save-dev @types/sql.js',
    ],
    files: ['drizzle', 'next'],
    commands: ['npx next build'],
  },
  {
    name: 'pnpm workspace, two copies of drizzle-orm',
    folder: 'pnpm',
    files: ['pnpm'],
    commands: [
      `${PNPM} --dir columns add drizzle-orm@0.45 sql.js@1.13 @snoflax/core @snoflax/drizzle`,
      `${PNPM} --dir shop add drizzle-orm@0.45 sql.js@1.16 @snoflax/core @snoflax/drizzle columns@workspace:*`,
      'node shop/main.js',
    ],
  },
  {
    name: 'esbuild, for browsers',
    folder: 'browser',
    made: ['npm init --yes', `npm install ${DRIZZLE}`, 'npm install --save-dev esbuild@0.28 vite@8'],
    files: ['browser'],
    commands: [
      'npx esbuild main.ts --bundle --minify --external:node:* --outfile=bundle.js',
      'node bare.mjs bundle.js',
    ],
  },
  {
    name: 'Vite, for browsers',
    folder: 'browser',
    commands: ['npx vite build', 'node chromium.mjs'],
  },
  {
    name: "React Native's Metro and Hermes",
    folder: 'hermes',
    made: [
      'npm init --yes',
      'npm install @snoflax/core sql.js@1.13 fast-text-encoding@1',
      'npm install --save-dev metro@0.83 @react-native/babel-preset@0.82 hermes-engine-cli@0.12',
    ],
    files: ['hermes'],
    commands: [
      'npx metro build main.js --out bundle.js --platform ios --dev false',
      'node hermes.mjs bundle.js',
    ],
  },
  {
    name: 'workerd, with D1',
    folder: 'workerd',
    made: [
      'npm init --yes',
      'npm install drizzle-orm@0.45 @snoflax/core @snoflax/drizzle',
      'npm install --save-dev esbuild@0.28 miniflare@4',
    ],
    files: ['workerd'],
    commands: [
      'npx esbuild worker.ts --bundle --format=esm --conditions=workerd,worker --outfile=dist/worker.js',
      'node run.mjs',
    ],
  },
  {
    name: 'Bun',
    folder: 'on-bun',
    made: ['npm init --yes', `npx --yes bun@1 add ${DRIZZLE}`],
    files: ['drizzle'],
    commands: ['npx --yes bun@1 main.ts'],
  },
  {
    name: 'Deno',
    folder: 'on-deno',
    made: ['npm init --yes', `npm install ${DRIZZLE}`],
    files: ['drizzle'],
    commands: ['npx --yes deno@2 run --allow-all main.ts'],
  },
  {
    name: 'Yarn PnP, `require`',
    folder: 'yarn',
    files: ['yarn', 'javascript'],
    commands: [`${YARN} init --yes`, `${YARN} add ${DRIZZLE}`, `${YARN} node main.cjs`],
  },
  { name: 'Yarn PnP, `import`', folder: 'yarn', commands: [`${YARN} node main.mjs`] },
]

import { base } from './site/base.js'

export default {
  name: 'snoflax',
  entryPointStrategy: 'packages',
  entryPoints: ['packages/!(extension-prisma)'],
  packageOptions: {
    entryPoints: ['src/index.ts'],
    tsconfig: 'tsconfig.src.json',
    excludeInternal: true,
    excludePrivate: true,
    // What is documented, and in which words, is for test/docstrings.test.ts.
    validation: { notExported: true, notDocumented: false, invalidLink: true, rewrittenLink: true },
    disableSources: true,
  },
  out: 'docs/site/api',
  favicon: 'site/icon.svg',
  customCss: 'site/reference.css',
  readme: 'none',
  // Back from the reference to the pages.
  titleLink: base,
  navigationLinks: { Guide: `${base}overview.html`, Inspector: `${base}inspector/index.html` },
  highlightLanguages: ['typescript', 'javascript', 'json', 'prisma', 'shellscript', 'sql'],
  includeVersion: true,
  treatWarningsAsErrors: true,
}

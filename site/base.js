/** Where the site is served: `/` or, as on GitHub Pages, a folder such as `/snoflax/`. */
export const base = `/${process.env['SITE_BASE'] ?? ''}/`.replace(/\/+/g, '/')

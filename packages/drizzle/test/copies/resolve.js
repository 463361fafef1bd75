// Has `drizzle-orm` mean the version that the tests run with, for everything that a process imports.
const version = process.env.SNOFLAX_DRIZZLE

export const resolve = (specifier, context, next) =>
  next(specifier.replace(/^drizzle-orm(?=$|\/)/, version ? `drizzle-orm-${version}` : '$&'), context)

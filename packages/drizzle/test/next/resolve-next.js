// Has `drizzle-orm` mean the release candidate, for everything that a process imports.
export const resolve = (specifier, context, next) =>
  next(specifier.replace(/^drizzle-orm(?=$|\/)/, 'drizzle-orm-next'), context)

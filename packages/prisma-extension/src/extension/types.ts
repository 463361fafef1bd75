type Nothing = Record<never, never>

/**
 * An extension for `$extends` that gives fields of results other types: `Types` is model → field → type. They
 * are told in the form of computed fields, since Prisma knows no other way; at run time there are none.
 */
// biome-ignore lint/suspicious/noExplicitAny: clients of every schema fit
export type Extension<Types> = (client: any) => {
  $extends: {
    extArgs: {
      result: {
        [Model in keyof Types]: {
          // biome-ignore lint/suspicious/noExplicitAny: the row, which only Prisma can type
          [Field in keyof Types[Model]]: () => { needs: Nothing; compute: (row: any) => Types[Model][Field] }
        }
      }
      model: Nothing
      query: Nothing
      client: Nothing
    }
  }
}

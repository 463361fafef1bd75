import { installStatements } from '@snoflax/pg-sql'

/** A first release with the SQL of flax alone, and a second one with all of it. */
export const versions = (all: { createdAt: string; statements: readonly string[] } | undefined) => [
  {
    name: '20260101T0000_install_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    statements: [
      ...installStatements({ families: ['flax'] }),
      'CREATE DOMAIN snoflax.id_text AS text COLLATE "C"',
    ],
  },
  {
    name: '20260201T0000_install_2',
    createdAt: '2026-02-01T00:00:00.000Z',
    statements: all?.statements ?? [],
  },
]

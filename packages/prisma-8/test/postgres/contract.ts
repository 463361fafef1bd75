import { defineContract } from '@prisma/orm-postgres/contract-builder'
import snoflax, { generatedId, idColumn } from '@snoflax/prisma-8/pack'

export const contract = defineContract({ extensions: { snoflax } }, ({ field, model }) => ({
  models: {
    Customer: model('Customer', {
      fields: {
        id: field.generated(generatedId('Flax', { prefix: 'cus' })).id(),
        referrer: field.column(idColumn('Flax', { prefix: 'cus' })).optional(),
        name: field.text(),
      },
    }).sql({ table: 'Customer' }),
    Note: model('Note', {
      fields: { id: field.generated(generatedId('FlaxUuid')).id(), text: field.text() },
    }).sql({ table: 'Note' }),
  },
}))

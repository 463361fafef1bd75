// Read by `npx drizzle-kit generate`; build first.
export default { dialect: 'postgresql', schema: './dist/schema.js', out: './drizzle' }

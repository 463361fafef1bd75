// What `npx drizzle-kit generate` reads, after a build.
export default { dialect: 'postgresql', schema: './dist/schema.js', out: './drizzle' }

export default {
  dialect: 'postgresql',
  schema: './kit-schema.mjs',
  out: './kit',
  dbCredentials: { url: process.env.URL },
}

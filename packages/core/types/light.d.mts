export * from './light.js'

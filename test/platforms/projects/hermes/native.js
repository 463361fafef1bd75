// Functions that Hermes' shell lacks. In an app, native modules provide them: `import 'react-native-get-random-values'`.
globalThis.crypto = {
  getRandomValues: (array) => array.forEach((_, at) => (array[at] = Math.floor(Math.random() * 2 ** 32))),
}
globalThis.console = { log: print, error: print }
globalThis.window = globalThis

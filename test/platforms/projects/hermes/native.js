// What Hermes' own shell lacks. In an app, native modules have it: `import 'react-native-get-random-values'`.
globalThis.crypto = {
  getRandomValues: (array) => array.forEach((_, at) => (array[at] = Math.floor(Math.random() * 2 ** 32))),
}
globalThis.console = { log: print, error: print }
globalThis.window = globalThis

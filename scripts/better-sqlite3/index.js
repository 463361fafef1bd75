// No version runs on every Node that we support: 13 needs Node-API 10 and otherwise crashes with a segmentation fault
// (Node 20); 12 aborts when a process of Node 24.19 or newer ends.
module.exports =
  Number(process.versions.napi) < 10 ? require('better-sqlite3-12') : require('better-sqlite3-13')

// No version runs on every Node that we promise: 13 wants Node-API 10, without which it ends by a segmentation fault
// (Node 20); 12 aborts when a process of Node 24.19 or newer ends.
module.exports =
  Number(process.versions.napi) < 10 ? require('better-sqlite3-12') : require('better-sqlite3-13')

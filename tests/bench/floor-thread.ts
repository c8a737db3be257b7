import { parentPort, workerData } from 'node:worker_threads'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import Database from 'better-sqlite3'

/*
 * The thread of the floor program. It sends `stored` when a batch is durable, and `parsed` when it has finished the batch.
 */
const LINE_FEED = 10

if (parentPort === null) throw new TypeError('floor-thread must run as a worker thread')
const port = parentPort
const db = new Database((workerData as { readonly file: string }).file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE records (seq INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, body BLOB NOT NULL)')
const insert = db.prepare('INSERT INTO records (bytes, body) VALUES (?, ?)')
const store = db.transaction((bodies: readonly Uint8Array[]) =>
  bodies.map((body) => {
    // One output chunk, as in the product: joining several costs half as much again.
    const small = deflateRawSync(body, { level: 1, chunkSize: Math.ceil(body.length / 2) })
    insert.run(body.length, small)
    return { small, bytes: body.length }
  }),
)

port.on('message', (bodies: readonly Uint8Array[]) => {
  const stored = store(bodies)
  port.postMessage('stored')
  for (const { small, bytes } of stored) parse(inflateRawSync(small, { chunkSize: bytes + 1 }))
  port.postMessage('parsed')
})

/** Parses the JSON of every line: the envelope header, item headers and payloads. */
function parse(body: Buffer): void {
  for (let from = 0; from < body.length; ) {
    const feed = body.indexOf(LINE_FEED, from)
    const to = feed < 0 ? body.length : feed
    if (to > from) JSON.parse(body.toString('utf8', from, to))
    from = to + 1
  }
}

import { type AddressInfo, createServer } from 'node:net'
import type { CountOrder, UpstreamCount } from './messages'

/*
 * An upstream that does as little as possible, because its CPU is missing from the measured program: it finds the end of
 * each request, counts it, and answers 200.
 */
const HEAD_END = '\r\n\r\n'
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
let posts = 0
let bytes = 0
let strange = 0
/** The post that starts the timing, and the times of that post and of the last one. */
let timedFrom = 1
let firstAt = Number.NaN
let lastAt = Number.NaN

const server = createServer((socket) => {
  let head: Buffer = Buffer.alloc(0)
  /** Missing bytes of the current body. */
  let missing = 0
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (rest.length > 0) {
      if (missing === 0) {
        const begun = head.length === 0 ? rest : Buffer.concat([head, rest])
        const end = begun.indexOf(HEAD_END)
        head = end < 0 ? begun : Buffer.alloc(0)
        if (end < 0) return
        const length = /\r\ncontent-length: *(\d+)/i.exec(begun.toString('latin1', 0, end))?.[1]
        if (length === undefined || Number(length) === 0) {
          strange += 1
          socket.destroy()
          return
        }
        missing = Number(length)
        rest = begun.subarray(end + HEAD_END.length)
      }
      const taken = Math.min(missing, rest.length)
      missing -= taken
      bytes += taken
      rest = rest.subarray(taken)
      if (missing > 0) return
      posts += 1
      lastAt = performance.now()
      if (posts === timedFrom) firstAt = lastAt
      socket.write(ANSWER)
    }
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', ({ skip }: CountOrder) => {
  if (skip !== undefined) timedFrom = posts + skip + 1
  process.send?.({ posts, bytes, strange, firstAt, lastAt } satisfies UpstreamCount)
})

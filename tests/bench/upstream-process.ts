import { type AddressInfo, createServer } from 'node:net'
import { countPosts } from './counted-posts'

/*
 * An upstream that does as little as possible, because its CPU is missing from the measured program: it finds the end of
 * each request, counts it, and answers 200.
 */
const HEAD_END = '\r\n\r\n'
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
const counted = countPosts()

const server = createServer((socket) => {
  let head: Buffer = Buffer.alloc(0)
  /** Bytes of the current body, and those of it that are missing. */
  let length = 0
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
        length = Number(/\r\ncontent-length: *(\d+)/i.exec(begun.toString('latin1', 0, end))?.[1] ?? 0)
        if (length === 0) {
          counted.addStrange()
          socket.destroy()
          return
        }
        missing = length
        rest = begun.subarray(end + HEAD_END.length)
      }
      const taken = Math.min(missing, rest.length)
      missing -= taken
      rest = rest.subarray(taken)
      if (missing > 0) return
      counted.add(length)
      socket.write(ANSWER)
    }
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

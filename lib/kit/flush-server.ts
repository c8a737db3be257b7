import http from 'node:http'

/** For one flush. The SDK rejects nothing: it resolves to false. */
const FLUSH_MS = 2000

export interface FlushingSdk {
  flush(timeout?: number): PromiseLike<boolean>
  /** Missing in old SDKs, which trace these requests. */
  suppressTracing?<Result>(work: () => Result): Result
}

/**
 * Follows a collector: flushes the SDK whenever the collector requests it, which `settle` and the end of `waystation run`
 * cause, and at SIGTERM. Does not keep the process alive.
 * @param collectorUrl such as http://127.0.0.1:8969
 */
export function flushOnRequest(sdk: FlushingSdk, collectorUrl: string, token: string | undefined): void {
  const untraced = <Result>(work: () => Result): Result =>
    sdk.suppressTracing === undefined ? work() : sdk.suppressTracing(work)
  const headers: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  let service: number | null = null

  async function flush(last: boolean): Promise<void> {
    await sdk.flush(FLUSH_MS)
    if (service === null) return
    const body = JSON.stringify({ service, last })
    await untraced(() => post(`${collectorUrl}/control/services/flushed`, headers, body))
  }

  const name = encodeURIComponent(`server process ${process.pid}`)
  untraced(() => {
    const request = http.get(`${collectorUrl}/control/services/stream?name=${name}`, { headers }, (response) => {
      response.setEncoding('utf8')
      let rest = ''
      response.on('data', (text: string) => {
        const messages = `${rest}${text}`.split('\n\n')
        rest = messages.pop() ?? ''
        for (const message of messages) {
          if (/^event: service$/m.test(message)) service = Number(/"service":(\d+)/.exec(message)?.[1])
          if (/^event: flush$/m.test(message)) void flush(false)
        }
      })
      // The collector ended: nobody requests a flush any more.
      response.on('error', () => undefined)
    })
    // Without a collector nobody requests a flush.
    request.on('error', () => undefined)
    request.on('socket', (socket) => socket.unref())
  })

  process.once('SIGTERM', () => {
    void flush(true).then(() => {
      // A listener replaces Node's own reaction to the signal.
      if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
    })
  })
}

/** Resolves also when there is no answer: then the collector is gone. */
function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
  return new Promise((resolve) => {
    const request = http.request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
    request.on('response', (response) => {
      response.resume()
      response.on('end', resolve)
      response.on('error', () => resolve())
    })
    request.on('error', () => resolve())
    request.end(body)
  })
}

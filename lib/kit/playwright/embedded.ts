/** A frame as Playwright tells of it. */
export interface AFrame {
  readonly url: () => string
  /** `null` of the page itself. */
  readonly parentFrame: () => AFrame | null
}

/**
 * Does a frame that makes a request show another origin than its page? What loads a frame is asked for by whoever embeds
 * it; and a frame without an address of its own, such as `about:blank`, belongs to whoever embeds it.
 */
export function isEmbedded(frame: AFrame, loadsFrame: boolean): boolean {
  let asks = loadsFrame ? (frame.parentFrame() ?? frame) : frame
  for (let parent = asks.parentFrame(); parent !== null && originOf(asks) === null; parent = asks.parentFrame())
    asks = parent
  let page = frame
  for (let parent = page.parentFrame(); parent !== null; parent = page.parentFrame()) page = parent
  return asks !== page && originOf(asks) !== originOf(page)
}

/** `null` where its address has none. */
function originOf(frame: AFrame): string | null {
  const url = frame.url()
  if (!/^(?:blob:)?https?:/.test(url)) return null
  return URL.canParse(url) ? new URL(url).origin : null
}

/** Names page loads: a tab has one after the other, and its old one still asks for things while the new one is fetched. */
export interface PageLoads<Page extends object> {
  /** A request that makes the page's next document. @returns that document's name */
  readonly begins: (page: Page) => string
  /** The page is somewhere else: in its next document, if one was begun. */
  readonly arrived: (page: Page) => void
  /** The document that is there. */
  readonly current: (page: Page) => string
}

export function createPageLoads<Page extends object>(): PageLoads<Page> {
  const now = new WeakMap<Page, string>()
  const next = new WeakMap<Page, string>()
  let count = 0
  const name = (): string => {
    count += 1
    return `load-${count}`
  }
  return {
    // A redirect is another request for the same document.
    begins: (page) => {
      const named = next.get(page) ?? name()
      next.set(page, named)
      return named
    },
    arrived: (page) => {
      const begun = next.get(page)
      if (begun === undefined) return
      now.set(page, begun)
      next.delete(page)
    },
    current: (page) => {
      const known = now.get(page) ?? name()
      now.set(page, known)
      return known
    },
  }
}

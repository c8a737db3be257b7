/** A page of the boards. A path may end in one parameter, the id or number of what the page shows. */
export interface BoardPage {
  readonly path: string
  /** The title of the document; `*` stands for the start of the parameter. */
  readonly title: string
  /** In the navigation; `null` for a page that another one links to. */
  readonly name: string | null
}

/** Every page that shows recorded telemetry. The app, the collector and the browser's entry serve these. */
export const BOARD_PAGES = [
  { path: '/', title: 'Waystation', name: 'Live' },
  { path: '/traces', title: 'Traces', name: 'Traces' },
  { path: '/traces/:id', title: 'Trace *', name: null },
  { path: '/errors', title: 'Errors', name: 'Errors' },
  { path: '/errors/:id', title: 'Error *', name: null },
  { path: '/events', title: 'Events', name: null },
  { path: '/events/:id', title: 'Event *', name: null },
  { path: '/logs', title: 'Logs', name: 'Logs' },
  { path: '/vitals', title: 'Metrics', name: 'Metrics' },
  { path: '/envelopes', title: 'Envelopes', name: 'Envelopes' },
  { path: '/envelopes/:id', title: 'Envelope *', name: null },
  { path: '/deliveries', title: 'Deliveries', name: 'Deliveries' },
  { path: '/losses', title: 'Losses', name: 'Losses' },
  { path: '/limits', title: 'Limits', name: 'Limits' },
  { path: '/storage', title: 'Storage', name: 'Storage' },
  { path: '/contract', title: 'Contract', name: 'Contract' },
  { path: '/runs', title: 'Runs', name: 'Runs' },
  { path: '/stand-in', title: 'Stand-in', name: 'Stand-in' },
] as const satisfies readonly BoardPage[]

/** The icon as a data URL, because a file would cost every page one more request. */
export const PAGE_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3d78d6" stroke-width="1.5"><path d="M1 8h4m6 0h4" stroke-linecap="round"/><rect x="5" y="5" width="6" height="6" rx="1"/></svg>',
)}`

export type BoardPath = (typeof BOARD_PAGES)[number]['path']

/** So much of an id is part of a title. */
const TITLE_LENGTH = 16
const ID_LENGTH = 8

/** The title of a page, without the name of the product. */
export function titleOf(path: BoardPath, parameter = ''): string {
  const { title } = BOARD_PAGES.find((page) => page.path === path) ?? BOARD_PAGES[0]
  return title.replace('*', parameter.slice(0, path === '/envelopes/:id' ? TITLE_LENGTH : ID_LENGTH))
}

/** The title of a document with the name of the product. @param page of the address; `null` where there is none */
export function documentTitle(page: ReturnType<typeof pageAt>): string {
  if (page?.path === '/') return titleOf('/')
  return `${page === null ? 'Not found' : titleOf(page.path, page.parameter)} · Waystation`
}

/** The page of an address, and its parameter; `null` where there is none. */
export function pageAt(pathname: string): { readonly path: BoardPath; readonly parameter: string } | null {
  const [, folder = '', parameter = '', ...rest] = pathname.split('/')
  if (rest.length > 0) return null
  const found = BOARD_PAGES.find(({ path }) => path === (parameter === '' ? `/${folder}` : `/${folder}/:id`))
  return found === undefined ? null : { path: found.path, parameter: decoded(parameter) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

/** The present address of a page that was renamed; `null` for any other. @param search the query, with its question mark */
export function movedTo(pathname: string, search: string): string | null {
  if (pathname !== '/signals') return null
  const query = new URLSearchParams(search)
  const isMetric = query.get('kind') === 'metric'
  if (isMetric) query.delete('kind')
  return `${isMetric ? '/vitals' : '/logs'}${query.size === 0 ? '' : `?${query}`}`
}

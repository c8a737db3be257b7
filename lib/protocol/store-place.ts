/** Host, port and database of the URL of a shared record, for messages: never its user or password. */
export function storePlace(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const socket = searchParams.get('host')
  return `${socket ?? hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

/** Did a span fail? Every word but `ok`, `cancelled` and none says so. */
export function failed(status: string | null): boolean {
  return status !== null && status !== '' && !['ok', 'cancelled', 'unset'].includes(status)
}

/** A control message. */
export const control = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export const withSignal = (signal?: AbortSignal): RequestInit => (signal === undefined ? {} : { signal })

import type { Send } from './send'

/** Posts without the address of who sent it. A record may have it from a time when it was passed on. */
export const withoutAddress =
  (send: Send): Send =>
  (request) => {
    const { 'x-forwarded-for': _, ...headers } = request.headers
    return send({ ...request, headers })
  }

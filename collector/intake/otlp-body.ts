import { countEntries, findStamp } from '../../lib/otlp/count-entries'
import { decodeRequest, encodeFailure, encodeSuccess } from '../../lib/otlp/decode'
import { CATEGORY_OF_SIGNAL, type OtlpEncoding, type OtlpSignal } from '../../lib/otlp/signals'
import { isStamp } from '../../lib/protocol/request'
import { type Result, succeed } from '../../lib/protocol/result'
import type { Exported } from './parse-body'

/* The bodies of OTLP requests and answers. The first request loads this module, with the protobuf library. */

export { encodeSuccess as successBody }

/** Decodes an export request and counts its entries. @returns a message for a malformed one */
export function readExport(signal: OtlpSignal, encoding: OtlpEncoding, bytes: Uint8Array): Result<Exported, string> {
  const request = decodeRequest(signal, encoding, bytes)
  if (!request.ok) return request
  const { valid, invalid, problem } = countEntries(signal, request.value)
  return succeed({
    signal,
    encoding,
    quantities: valid === 0 ? [] : [{ category: CATEGORY_OF_SIGNAL[signal], quantity: valid }],
    rejected: problem === null ? null : { count: invalid, message: problem },
    stamp: findStamp(signal, request.value, isStamp),
  })
}

/** The `google.rpc.Code` of an HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 8,
  415: 3,
  422: 9,
  429: 8,
  503: 14,
}
const UNKNOWN_CODE = 2

/** The body of an error answer. @param status of HTTP */
export const failureBody = (encoding: OtlpEncoding, status: number, detail: string): Uint8Array<ArrayBuffer> =>
  encodeFailure(encoding, RPC_CODES[status] ?? UNKNOWN_CODE, detail)

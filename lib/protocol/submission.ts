import type { Endpoint } from './request'

/** One received body with the facts recorded about its request. */
export interface StoredSubmission {
  readonly seq: number
  /** Journal number of its `received` fact. */
  readonly journal: number
  /** ms since the epoch. */
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  /** The sender's page header, random per page load; `null` without one. */
  readonly page: string | null
  readonly userAgent: string | null
  readonly origin: string | null
  /** Content-Type of the request: requests of OpenTelemetry are parsed by it. */
  readonly contentType?: string | null | undefined
  /** Ms in the lifeboat of the tunnel; absent if it was passed on at once. */
  readonly keptMs?: number | undefined
  /** Of a check-in that is no envelope: the address that names its monitor. */
  readonly target?: string | null | undefined
  readonly body: Uint8Array
}

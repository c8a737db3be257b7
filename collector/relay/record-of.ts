import type { Reader } from '../index/reader'
import type { RecordedEnvelope } from '../index/stored-record'
import { BodyDamagedError } from '../spool/submission'

/** @returns the record; `null` when it is gone; an error where its bytes cannot be read as they were stored. */
export const recordOf = (reader: Pick<Reader, 'record'>, seq: number): Promise<RecordedEnvelope | Error | null> =>
  reader.record(seq).catch((error: Error) => {
    if (error.name !== BodyDamagedError.NAME) throw error
    return error
  })

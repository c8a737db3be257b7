import { BodyDamagedError } from '../spool/submission'
import type { Reader } from '../store/reader'
import type { RecordedEnvelope } from '../store/stored-record'

/** @returns the record; `null` when it is gone; an error where its bytes cannot be read as they were stored. */
export const recordOf = (reader: Pick<Reader, 'record'>, seq: number): Promise<RecordedEnvelope | Error | null> =>
  reader.record(seq).catch((error: Error) => {
    if (error.name !== BodyDamagedError.NAME) throw error
    return error
  })

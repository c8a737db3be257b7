import * as z from 'zod'
import { entryFields, numberField, parseEntries, textField } from './fields'
import { cutName, type ParseSignals } from './signal'

const logSchema = z.object({ ...entryFields, level: textField, body: textField, severity_number: numberField })

/** Parses a container of logs into one signal per entry. */
export const parseLogs: ParseSignals = (item, sizeLimits) =>
  parseEntries(item, sizeLimits, logSchema, (log) => ({
    kind: 'log',
    name: cutName(log.body ?? '(no message)'),
    level: log.level,
    fields: { severityNumber: log.severity_number },
  }))

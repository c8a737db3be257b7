import { fact, joined, type Line, own } from './answer'
import { received } from './received'
import type { DoctorCheck } from './sources'

/** Checks of an app, and of the variables of this shell, concern no running collector. */
export const OF_APPS = ['variables', 'dsn', 'page', 'tunnel', 'probe', 'admission']

/** A check with what it found, and the fix: a sentence of Waystation, unless it repeats a text of the app. */
export const checkLine = ({ id, title, found, fix }: DoctorCheck): Line =>
  joined([fact(title, received('found', found)), fact('fix', OF_APPS.includes(id) ? received('fix', fix) : own(fix))])

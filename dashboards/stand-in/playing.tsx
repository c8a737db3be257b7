import { answerSentence, type Script, type StandInState } from '../../lib/wire/stand-in'
import { printable } from '../ui/printable'
import { hiddenBy, keptOver, NOTHING_PLAYED, withoutRule } from './rule-form'
import styles from './stand-in-board.module.css'

interface PlayingProps {
  readonly standIn: StandInState
  readonly now: number
  readonly away: boolean
  readonly play: (script: Script, word: string) => Promise<void>
}

/** Stands behind the rules for all that none of them takes. */
const ANY_POST = { endsAt: null }

/** What is left of the script, with running clocks, and the ways to end it. */
export function Playing({ standIn, now, away, play }: PlayingProps) {
  const playing = standIn.answers
    .map((answer, at) => ({ answer, at }))
    .filter(({ answer: { endsAt } }) => endsAt === null || endsAt > now)
  const rules = playing.map(({ answer }) => answer)
  return (
    <section className={styles.section} aria-labelledby="playing">
      <h2 id="playing">What is played</h2>
      {playing.length === 0 ? (
        <p className="small soft" data-playing="0">
          Everything is answered 200.
        </p>
      ) : (
        <>
          <ol className={styles.rules} data-playing={playing.length}>
            {playing.map(({ answer, at }, place) => (
              <li key={at} data-rule={answer.does}>
                <span className="num">
                  {printable(capital(answerSentence(answer, now)))}
                  <NeverReached above={hiddenBy(rules, place)} />
                </span>
                <button
                  type="button"
                  className="button"
                  disabled={away}
                  aria-label={`Take out: ${printable(answerSentence(answer, now))}`}
                  onClick={() => play(withoutRule(standIn, at, now), 'Taken out.')}
                >
                  Take out
                </button>
              </li>
            ))}
          </ol>
          {/* Behind a rule that takes all of them nothing is left. */}
          {hiddenBy([...rules, ANY_POST], rules.length) === null && (
            <p className="small faint">What no rule takes is answered 200.</p>
          )}
          <div className="row">
            <button
              type="button"
              className="button primary"
              disabled={away}
              onClick={() => play(NOTHING_PLAYED, 'Stopped: everything is answered 200.')}
            >
              Stop all
            </button>
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={standIn.keep}
                disabled={away}
                onChange={({ target }) =>
                  play(
                    keptOver(standIn, target.checked, now),
                    target.checked ? 'Goes on after a restart.' : 'Ends with the collector.',
                  )
                }
              />
              Keep it over a restart
            </label>
          </div>
        </>
      )}
    </section>
  )
}

/** @param above the place of the rule that takes all of its posts; `null` where it has its turn */
function NeverReached({ above }: { readonly above: number | null }) {
  if (above === null) return null
  return (
    <span className={styles.hidden} data-hidden-by={above + 1}>
      Never reached: rule {above + 1} above takes every post that it would.
    </span>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

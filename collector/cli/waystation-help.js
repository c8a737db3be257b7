/** What `waystation --help` prints. */
export const WAYSTATION_HELP = `waystation COMMAND

  run -- CMD …    runs a program with a recording of its own, and says what arrived and what was lost

Each command has --help. App and boards are started by npm start, in the folder of Waystation.`

/** What `waystation run --help` prints. */
export const RUN_HELP = `waystation run [--relay] [--data FOLDER] [--settle SECONDS] -- CMD [ARGUMENT…]

Runs CMD beside a collector of its own, with a fresh recording, and says on stderr what arrived, what was lost and why.
CMD's streams are its own, and so is the exit code.

  --relay              relay to the upstream that is configured; without it nothing leaves this machine
  --data FOLDER        record there, in a new or an empty folder; else in a new folder below runs/ in WAYSTATION_DATA, of which the newest 20 are kept
  --settle SECONDS     how long to wait at the end for what is still under way (5)

CMD finds the local DSN in SENTRY_DSN, and in NEXT_PUBLIC_SENTRY_DSN, VITE_SENTRY_DSN and their like, and the collector's
address in WAYSTATION_COLLECTOR_URL; NO_PROXY has this machine added.

What upstream refused for what it is waits for a person: start the recording again, and send or drop it on the board
Deliveries or by POST /control/dead-letters.

Exit code: CMD's own; 128 and the signal's number where a signal ended it; 126 or 127 where it cannot be run or found.
2: what was typed or set cannot be used. 3: there is no recording, or not a whole one; CMD's own failure goes first.`

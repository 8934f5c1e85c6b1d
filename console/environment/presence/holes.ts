import type { Gap } from '../../expectation/operations.ts';
import type { StateName } from '../../model/states.ts';
import { duration } from '../../model/time.ts';

/** A gap on the axis of the hours. It lies here, and not beside the words of gaps, so that no page loads those for it. */
export interface Hole {
  key: string;
  from: number;
  to: number;
  state: StateName;
  /** Which expectation missed what, and how long: `missed for 26 h by edge-reports`. */
  text: string;
}

/** The gaps of reports, each as a stretch of its own. Those that last end now. Gaps of artifacts are about decisions. */
export const holesOf = (gaps: readonly Gap[], now: number): Hole[] =>
  gaps
    .filter(({ unreadable, kind }) => unreadable !== true && kind === 'reports')
    .map(({ id, from, until, state: found, expectation }) => {
      const state = found === 'excused' || found === 'unknown' ? found : ('missed' as const);
      const to = until ?? now;
      return { key: id, from, to, state, text: `${WORDS[state]} for ${duration(to - from)} by ${expectation}` };
    });

const WORDS = { missed: 'missed', excused: 'excused', unknown: 'not known' } as const;

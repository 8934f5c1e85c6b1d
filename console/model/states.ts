/**
 * Every state that a page shows. A state has a mark, a word and a tone, so that its meaning never depends on colour
 * alone. An unknown state is never shown in the tone of a failure.
 */
export const STATES = {
  compliant: { mark: '✓', word: 'Compliant', tone: 'good' },
  'non-compliant': { mark: '✗', word: 'Not compliant', tone: 'bad' },
  incomplete: { mark: '○', word: 'Incomplete', tone: 'open' },
  missing: { mark: '○', word: 'Missing', tone: 'open' },
  overridden: { mark: '⊘', word: 'Overridden', tone: 'changed' },
  allowed: { mark: '◇', word: 'Allowed', tone: 'allowed' },
  unknown: { mark: '?', word: 'Unknown', tone: 'quiet' },
  running: { mark: '▸', word: 'Running', tone: 'present' },
  stopped: { mark: '▪', word: 'Stopped', tone: 'quiet' },
  pending: { mark: '◔', word: 'Pending', tone: 'quiet' },
  delivered: { mark: '✓', word: 'Delivered', tone: 'good' },
  dead: { mark: '✗', word: 'Dead', tone: 'bad' },
  confirmed: { mark: '✓', word: 'Confirmed', tone: 'good' },
  expired: { mark: '–', word: 'Expired', tone: 'quiet' },
  discarded: { mark: '–', word: 'Discarded', tone: 'quiet' },
  working: { mark: '✓', word: 'Working', tone: 'good' },
  failing: { mark: '✗', word: 'Failing', tone: 'bad' },
  silent: { mark: '!', word: 'Silent', tone: 'open' },
  idle: { mark: '·', word: 'Nothing sent', tone: 'quiet' },
  granted: { mark: '✓', word: 'Allowed', tone: 'good' },
  denied: { mark: '✗', word: 'Denied', tone: 'bad' },
  verified: { mark: '✓', word: 'Verified', tone: 'good' },
  'not-verified': { mark: '✗', word: 'Not verified', tone: 'bad' },
  failed: { mark: '!', word: 'Failed', tone: 'open' },
  met: { mark: '✓', word: 'Met', tone: 'good' },
  late: { mark: '◔', word: 'Late', tone: 'open' },
  missed: { mark: '✗', word: 'Missed', tone: 'bad' },
  ended: { mark: '▪', word: 'Ended', tone: 'quiet' },
  excused: { mark: '⊘', word: 'Excused', tone: 'changed' },
  archived: { mark: '–', word: 'Archived', tone: 'quiet' },
  deleted: { mark: '–', word: 'Deleted', tone: 'quiet' },
  recalled: { mark: '✗', word: 'Recalled', tone: 'bad' },
  affected: { mark: '✗', word: 'Affected', tone: 'bad' },
  'not-affected': { mark: '⊘', word: 'Said not affected', tone: 'changed' },
  undecided: { mark: '?', word: 'Not decided', tone: 'quiet' },
  absent: { mark: '✓', word: 'Not found', tone: 'good' },
  stated: { mark: '·', word: 'Stated', tone: 'quiet' },
  identified: { mark: '▸', word: 'Identified', tone: 'present' },
  signed: { mark: '✓', word: 'Signed', tone: 'good' },
  logged: { mark: '✓', word: 'Signed, time proved', tone: 'good' },
  observed: { mark: '▪', word: 'Observed', tone: 'present' },
} as const;

export type StateName = keyof typeof STATES;

/** Translates a word of the API: `NON-COMPLIANT`, `COMPLIANT`, `INCOMPLETE`, `MISSING`. Other words are unknown. */
export function stateOfWord(word: string | null | undefined): StateName {
  const name = (word ?? '').toLowerCase().replaceAll('_', '-');
  // Object.hasOwn does not narrow its argument.
  return Object.hasOwn(STATES, name) ? (name as StateName) : 'unknown';
}

/** Translates a verdict that is true, false, or null for unknown. */
export const stateOfVerdict = (compliant: boolean | null | undefined): StateName => {
  if (compliant === null || compliant === undefined) return 'unknown';
  return compliant ? 'compliant' : 'non-compliant';
};

/** The state of a report. A verdict that a person replaced by a better one is no ordinary success. */
export const stateOfReport = (type: unknown, compliant: boolean | null | undefined): StateName =>
  type === 'override' && compliant === true ? 'overridden' : stateOfVerdict(compliant);

/** From worst to best: which state stands for several that share one place. */
const WORST_FIRST: readonly StateName[] = [
  'non-compliant',
  'denied',
  'not-verified',
  'recalled',
  'affected',
  'failing',
  'missed',
  'dead',
  'failed',
  'incomplete',
  'missing',
  'silent',
  'late',
  'unknown',
  'undecided',
  'pending',
  'stated',
  'idle',
  'discarded',
  'stopped',
  'ended',
  'running',
  'allowed',
  'overridden',
  'excused',
  'not-affected',
  'identified',
  'compliant',
  'absent',
  'signed',
  'logged',
  'observed',
  'granted',
  'verified',
  'working',
  'delivered',
  'met',
  'archived',
  'deleted',
];

export const worstOf = (one: StateName, other: StateName): StateName =>
  WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other) ? one : other;

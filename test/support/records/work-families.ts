/**
 * Families of items that are work of the service and no evidence, with the reason. No export has them, and the table of a test
 * that does not do this work has none of them.
 */
export const WORK_FAMILIES: Readonly<Record<string, string>> = {
  '@EVALUATING': 'work of sweeps',
  '@DUE': 'work of sweeps',
  '@NOTIFIED': 'work of sweeps',
  '@ACTIVE': 'work of sweeps',
  '@SWEEPS': 'work of sweeps',
  '@ASIDE': 'work of sweeps',
  '@EXPECTING': 'work of sweeps',
  ONGOING: 'follows from gaps',
  '@BEAT': 'about the whole service; gaps have the unknown time that counts for them',
  '@EXPORTING': 'work of sweeps',
  '@PACKAGING': 'work of sweeps',
  '@SIGNATURES': 'who is signed next, which means nothing a minute later',
  '@LIMIT': 'counters of requests, which mean nothing a day later',
  '@WITNESS': 'logs of others',
  '@PUBLICROOT': 'about the whole region; exports name the root by its digest',
  IDEMPOTENCY: 'answers of the last 24 hours',
};

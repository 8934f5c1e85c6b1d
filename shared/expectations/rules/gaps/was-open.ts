import type { Micros } from '#shared/base/time.ts';
import type { Gap } from './gap.ts';

type Lasting = Pick<Gap, 'state' | 'wasOpen' | 'detectedAt' | 'changedAt' | 'until' | 'explanation'>;

/**
 * Whether a gap was open at an instant, as answers showed it then: found, not ended and not excused. A gap that was unknown from its
 * beginning on never was open. One that the service saw late was open until the service saw what had come.
 */
export function wasOpenAt({ state, wasOpen, detectedAt, changedAt, until, explanation }: Lasting, at: Micros): boolean {
  if (state === 'unknown' && !wasOpen) return false;
  const end = wasOpen ? changedAt : until;
  return detectedAt <= at && (end === null || end > at) && (explanation === null || explanation.at > at);
}

import type { Micros } from '#shared/base/time.ts';
import type { Gap } from './gap.ts';

type Lasting = Pick<Gap, 'state' | 'detectedAt' | 'until' | 'explanation'>;

/**
 * Whether a gap was open at an instant, as answers showed it then: found, not ended and not excused. A gap that is unknown never was
 * open.
 */
export const wasOpenAt = ({ state, detectedAt, until, explanation }: Lasting, at: Micros): boolean =>
  state !== 'unknown' &&
  detectedAt <= at &&
  (until === null || until > at) &&
  (explanation === null || explanation.at > at);

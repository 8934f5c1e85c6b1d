import type { Part } from '../part.ts';
import { measureLimit } from './measure.ts';
import { limitSection, missedLimits } from './report.ts';
import type { LimitResult } from './results.ts';

export const limitPart: Part<LimitResult> = {
  name: 'limit',
  measure: measureLimit,
  section: limitSection,
  missed: missedLimits,
};

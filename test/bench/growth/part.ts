import type { Part } from '../part.ts';
import { type AxisResult, measureGrowth } from './measure.ts';
import { growthSection, missedGrowth } from './report.ts';

export const growthPart: Part<AxisResult[]> = {
  name: 'growth',
  isCounted: true,
  measure: measureGrowth,
  section: growthSection,
  missed: missedGrowth,
};

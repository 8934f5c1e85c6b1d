import { count } from '../../model/words.ts';
import type { Frequency } from '../operations.ts';

/** How often something was deployed, in words. */
export function frequencyText({ total, median_per_day: median, deployments }: Frequency): string {
  const days = deployments.length;
  if (total === 0) return `No deployment in ${count(days, 'day')}.`;
  const most = deployments.reduce((best, day) => (day.count > best.count ? day : best));
  return `${count(total, 'deployment')} in ${count(days, 'day')}. Median per day ${median}, most ${most.count}.`;
}

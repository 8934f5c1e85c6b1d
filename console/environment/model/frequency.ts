import { paceText } from '../../model/pace.ts';
import { count } from '../../model/words.ts';
import type { Frequency } from '../operations.ts';

/** How often something was deployed, in words. */
export function frequencyText({ total, deployments }: Pick<Frequency, 'total' | 'deployments'>): string {
  const days = deployments.length;
  if (total === 0) return `No deployment in ${count(days, 'day')}.`;
  const most = deployments.reduce((best, day) => (day.count > best.count ? day : best));
  const pace = paceText(total, days, 'deployment');
  return `${count(total, 'deployment')} in ${count(days, 'day')}. ${pace} At most ${most.count} on one day.`;
}
